import { expandAlias } from './launch/aliases.ts';
import { readVersion } from './version.ts';

const VERSION_WORDS = ['--version', '-V', '-v', 'version'];

/** Nothing heavy is imported before it is known to be needed: `tacho --version` is a few milliseconds over `node`. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (printVersion(argv)) return;
  const [{ runProgram }, { COMMANDS }] = await Promise.all([import('./program.ts'), import('./commands/all.ts')]);
  await runProgram(expandAlias(argv), COMMANDS);
}

/** Prints the version if that is all that is asked for. */
export function printVersion(argv: readonly string[]): boolean {
  if (argv.length !== 1 || !VERSION_WORDS.includes(argv[0]!)) return false;
  process.stdout.write(`${readVersion()}\n`);
  return true;
}
