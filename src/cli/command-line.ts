import { readVersion } from './version.ts';

/** Nothing heavy is imported before it is known to be needed: `tacho --version` is a few milliseconds over `node`. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  const { runProgram } = await import('./program.ts');
  await runProgram(argv);
}
