import os from 'node:os';
import { type AgentArguments, readArguments, USAGE } from './arguments.ts';
import { playTurn } from './play-turn.ts';

/** The agent from its arguments to its exit code. */
export async function runAgent(words: readonly string[]): Promise<number> {
  if (words[0] === '--help' || words[1] === '--help') {
    process.stdout.write(USAGE);
    return 0;
  }
  let given: AgentArguments;
  try {
    given = readArguments(words);
  } catch (error) {
    reportFailure(error, `\n${USAGE}`);
    return 2;
  }
  try {
    return await playTurn(given, {
      home: process.env.HOME || os.homedir(),
      approvals: process.env.TACHO_DEMO_APPROVALS || null,
      input: process.stdin,
      print: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
      printLine: (text) => void process.stdout.write(`${text}\n`),
    });
  } catch (error) {
    reportFailure(error); // For example, an unwritable home.
    return 1;
  }
}

function reportFailure(error: unknown, more = ''): void {
  process.stderr.write(`tacho-demo-agent: ${(error as Error).message}\n${more}`);
}
