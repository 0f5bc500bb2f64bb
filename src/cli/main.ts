import { readVersion } from './version.ts';

/** Nothing heavy is imported before it is known to be needed: `tacho --version` is a few milliseconds over `node`. */
const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { runProgram } = await import('./program.ts');
  await runProgram(argv);
}
