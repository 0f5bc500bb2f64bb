import { type Command, Option } from 'commander';
import { type CommonOptions, withCommonOptions } from './common-options.ts';

export interface RunOptions extends CommonOptions {
  capture?: string;
  runDir?: string;
  cwd?: string;
  env?: string[];
  timeout?: string;
  noProgressTimeout?: string;
  keepTrace?: boolean;
  translate?: string;
  level?: string;
}

const EXAMPLES = `
Examples:
  tacho run -- npm test
  tacho run --timeout 10m --no-progress-timeout 90s -- ./nightly.sh
  tacho run --cwd . --env API_KEY --env MODE=ci -- node build.mjs
  tacho run --capture trace -- make -j4          who wrote which byte
  tacho run --run-dir 3f2a9c1b -- npm test       one more attempt of that run

The exit code is the command's own, 128 + n when signal n killed it; 130 when the run was canceled.`;

export function registerRun(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('run')
    .summary('record a command in a real terminal')
    .description('Runs a command in a real terminal and records every byte of it. What follows -- is the command.')
    .usage('[options] -- <command> [arguments]')
    .allowExcessArguments()
    .option('--capture <mode>', 'split: two terminals (default) · trace: with strace · merged: one terminal')
    .option('--run-dir <run>', 'go on with this run, as its next attempt')
    .option('--cwd <folder>', 'working folder and workspace (default: the run folder)')
    .option('--env <name[=value]>', 'set a variable, or pass it on from here; repeatable', collect)
    .option('--timeout <duration>', 'end the run after this long, e.g. 90s, 10m, 1h30m')
    .addOption(noProgressTimeout())
    .option('--keep-trace', 'keep the system-call trace (with --capture trace)')
    .option('--level <level>', 'how much to keep: full (default), standard, minimal')
    .option('--translate <n>', '0: pass the output through as it is (default)')
    .addHelpText('after', EXAMPLES)
    .action(async (options: RunOptions, { args }: Command) => {
      const { runCommand } = await import('./run-command.ts');
      process.exitCode = await runCommand({ beforeDashes: args, command: afterDashes, options });
    });
  withCommonOptions(command);
}

/** Commander takes every `--no-…` for the negation of another option; this one is not. */
function noProgressTimeout(): Option {
  const option = new Option('--no-progress-timeout <duration>', 'end the run when it prints nothing for this long');
  option.negate = false;
  return option;
}

function collect(value: string, all: string[] = []): string[] {
  return [...all, value];
}
