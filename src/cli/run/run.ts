import { type Command, Option } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

/** How an attempt is recorded, whatever it runs. */
export interface RecordOptions extends CommonOptions {
  capture?: string;
  env?: string[];
  timeout?: string;
  noProgressTimeout?: string;
  keepTrace?: boolean;
  translate?: string;
  level?: string;
}

export interface RunOptions extends RecordOptions {
  runDir?: string;
  cwd?: string;
  mode?: string;
  model?: string;
  baseUrl?: string;
  engineArg?: string[];
  promptFile?: string;
  requireMarker?: boolean;
  format?: string;
  authFromHome?: boolean;
  parse?: string;
}

const EXAMPLES = `
Examples:
  tacho run -- npm test
  tacho run codex -- "fix the failing test"      an agent, shown as a conversation
  tacho run claude --mode interactive --cwd . -- "ask me before you change the API"
  tacho run gemini --model gemini-2.5-pro --translate 2 -- "explain main.ts" > conversation.json
  tacho run codex --engine-arg --search -- "what is new in Node 24?"
  tacho run --timeout 10m --no-progress-timeout 90s -- ./nightly.sh
  tacho run --cwd . --env API_KEY --env MODE=ci -- node build.mjs
  tacho run --capture trace -- make -j4          who wrote which byte
  tacho run --run-dir 3f2a9c1b -- npm test       one more attempt of that run

Engines: tacho engines. Keys are taken from the environment by name; the engine works in a home of its own.
The exit code is the command's own, 128 + n when signal n killed it; 10 when the run waits for an answer, 130 when it was canceled.`;

export function registerRun(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('run')
    .summary('record a command, or let an engine work, in a real terminal')
    .description(
      'Runs a command in a real terminal and records every byte of it. What follows -- is the command; after the name of an engine, the prompt.',
    )
    .usage('[options] -- <command> [arguments] | run <engine> [options] -- <prompt>')
    .allowExcessArguments()
    .option('--run-dir <run>', 'go on with this run, as its next attempt')
    .option('--cwd <folder>', 'working folder and workspace (default: the run folder)')
    .option('--mode <mode>', 'auto: nobody answers (default) · interactive: a question waits for tacho resume')
    .option('--model <name>', 'model the engine is to use')
    .option('--base-url <url>', 'model server to use, e.g. one of tacho demo --serve')
    .option('--engine-arg <word>', 'one argument for the engine itself; repeatable', collect)
    .option('--prompt-file <file>', 'read the prompt from a file; - is standard input')
    .option('--require-marker', 'count the work as done only with the done marker "__SKILL_DONE__": true')
    .option('--format <name>', 'output format of an engine that has several (gemini: stream-json, json)')
    .option('--auth-from-home', 'copy the engine’s credentials from your own home into its managed one')
    .option('--parse <on|off>', 'off takes the engine’s output as that of any command')
    .option(
      '--translate <n>',
      '0: output as it is · 1: summary as JSON · 2: conversation as JSON · 3: chat (default for engines)',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: RunOptions, { args }: Command) => {
      const { runCommand } = await import('./run-command.ts');
      process.exitCode = await runCommand({ beforeDashes: args, afterDashes, options });
    });
  withRecordOptions(command);
  withCommonOptions(command);
}

export function withRecordOptions(command: Command): Command {
  return command
    .option('--capture <mode>', 'split: two terminals (default) · trace: with strace · merged: one terminal')
    .option('--env <name[=value]>', 'set a variable, or pass it on from here; repeatable', collect)
    .option('--timeout <duration>', 'end the run after this long, e.g. 90s, 10m, 1h30m')
    .addOption(noProgressTimeout())
    .option('--keep-trace', 'keep the system-call trace (with --capture trace)')
    .option('--level <level>', 'how much to keep: full (default), standard, minimal');
}

/** Commander takes every `--no-…` for the negation of another option; this one is not. */
function noProgressTimeout(): Option {
  const option = new Option(
    '--no-progress-timeout <duration>',
    'end the run when it gets no further for this long (engines: 10m)',
  );
  option.negate = false;
  return option;
}

export function collect(value: string, all: string[] = []): string[] {
  return [...all, value];
}
