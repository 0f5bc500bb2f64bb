import { readVersion } from './version.ts';

/** Nothing heavy is imported before it is known to be needed: `tacho --version` is a few milliseconds over `node`. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (printVersion(argv)) return;
  const [{ runProgram }, { COMMANDS }] = await Promise.all([import('./program.ts'), import('./commands/all.ts')]);
  await runProgram(argv, COMMANDS);
}

/** Prints the version if that is all that is asked for. */
export function printVersion(argv: readonly string[]): boolean {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== '-V')) return false;
  process.stdout.write(`${readVersion()}\n`);
  return true;
}
