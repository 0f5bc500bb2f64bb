import { TachoError } from '../../protocol/index.ts';
import type { AgentFromConfigOptions } from '../from-config/index.ts';
import { type EngineArguments, readArguments, USAGE } from './arguments.ts';

/** The program of the engine `agent`, from its arguments to its exit code. */
export async function runEngine(
  words: readonly string[],
  { runtime }: Pick<AgentFromConfigOptions, 'runtime'>,
): Promise<number> {
  if (words[0] === '--help' || words[1] === '--help') {
    process.stdout.write(USAGE);
    return 0;
  }
  let given: EngineArguments;
  try {
    given = readArguments(words);
  } catch (error) {
    process.stderr.write(`tacho-agent: ${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  try {
    const { carryOut } = await import('./carry-out.ts');
    return await carryOut(given, { workspaceRoot: process.cwd(), output: process.stdout, runtime });
  } catch (error) {
    process.stderr.write(describe(error));
    return 1;
  }
}

/** In one line: tacho reads it as the reason of the failure. */
function describe(error: unknown): string {
  const { message } = error as Error;
  const line = message.replaceAll(/\s*\n\s*/g, ' ');
  if (!(error instanceof TachoError)) return `tacho-agent: ${line}\n`;
  const fix = error.fix === undefined ? '' : ` ${error.fix.replaceAll(/\s*\n\s*/g, ' ')}`;
  return `tacho-agent: ${line} [${error.code}]${fix}\n`;
}
