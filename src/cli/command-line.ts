import { expandAlias } from './launch/aliases.ts';
import { readVersion } from './version.ts';

const VERSION_WORDS = ['--version', '-V', '-v', 'version'];

/** Imports nothing heavy before it is needed: `tacho --version` takes only a few milliseconds more than `node`. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (printVersion(argv)) return;
  const [{ runProgram }, { COMMANDS }] = await Promise.all([import('./program.ts'), import('./commands/all.ts')]);
  await runProgram(expandAlias(argv), COMMANDS);
}

/** Prints the version if the command line asks for nothing else. */
export function printVersion(argv: readonly string[]): boolean {
  if (argv.length !== 1 || !VERSION_WORDS.includes(argv[0]!)) return false;
  process.stdout.write(`${readVersion()}\n`);
  return true;
}
