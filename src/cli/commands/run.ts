import { type Command, Option } from 'commander';
import { ENGINE_NAMES } from '../../protocol/engine-names.ts';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

/** Recording options, for any kind of run. */
export interface RecordOptions extends CommonOptions {
  capture?: string;
  env?: string[];
  timeout?: string;
  noProgressTimeout?: string;
  keepTrace?: boolean;
  translate?: string;
  level?: string;
  quiet?: boolean;
}

export interface RunOptions extends RecordOptions {
  runDir?: string;
  cwd?: string;
  scratch?: boolean;
  isolate?: boolean;
  mode?: string;
  model?: string;
  baseUrl?: string;
  engineArg?: string[];
  promptFile?: string;
  skill?: string;
  skills?: string;
  input?: string;
  param?: string[];
  parameters?: string;
  requireMarker?: boolean;
  format?: string;
  authFromHome?: boolean;
  parse?: string;
  queue?: boolean;
  detach?: boolean;
}

const RUN_EXAMPLES = `
Examples:
  tacho run npm test
  tacho run codex "fix the failing test"     an agent, shown as a conversation
  git diff | tacho run claude "review this"  piped text follows the prompt
  tacho run claude --mode interactive "ask me before you change the API"
  tacho run gemini --model gemini-2.5-pro --translate 2 "explain main.ts" | jq
  tacho run codex --skill review --input @in.json --param depth=2
  tacho run claude --skills all "prepare the release"
  tacho run codex --engine-arg --search "what is new in Node 24?"
  tacho run --parse codex ./wrapper.sh           it prints what codex prints
  tacho run --timeout 10m --no-progress-timeout 90s ./nightly.sh
  tacho run -e MODE=ci node build.mjs
  tacho run --isolate -e API_KEY ./agent.sh
  tacho run --capture trace make -j4         also record who wrote which byte
  tacho run --run-dir 3f2a9c1b npm test      add another attempt to that run
  tacho run --queue --cwd . npm test         let the server record it
  tacho run --detach --cwd . codex "fix it"  the same, without waiting

Options of tacho come before the command; the rest of the line belongs to it. A -- before the command or the prompt is
optional, except to run a program that has the name of an engine: tacho run -- claude -v

A command runs in the current directory with your environment and home; tacho is not a sandbox. Engines (tacho engines)
work there too, with a managed home, and get their keys from the environment by name.

With --queue the keyboard is read line by line. For full-screen programs: --detach, then tacho attach.

Exit code: the command's own; 128 + n when signal n killed it; 10 when the run waits for an answer; 130 when canceled.`;

export function registerRun(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .enablePositionalOptions()
    .command('run')
    .summary('record a command or an AI agent')
    .description('Runs a command, or an engine with a prompt, in a real terminal and records every byte.')
    .usage('[options] <command> [arguments…]\n       tacho run [options] <engine> <prompt>')
    .allowExcessArguments()
    .passThroughOptions()
    .option('-q, --quiet', 'print only the program’s output and errors of tacho')
    .option('--run-dir <run>', 'continue this run with its next attempt')
    .option('--queue', 'submit to the server’s queue, wait and stream (requires tacho start)')
    .option('--detach', 'print the handle and return at once (implies --queue)')
    .option('--cwd <folder>', 'working folder and workspace (default: the current directory)')
    .option('--scratch', 'work in a new, empty folder (default with --queue)')
    .option('--isolate', 'use the managed home and a short list of variables (always with --queue and engines)')
    .option('--mode <mode>', 'auto: no questions (default) · interactive: questions wait for tacho resume')
    .option('--model <name>', 'model for the engine')
    .option('--base-url <url>', 'model server to use, e.g. one of tacho demo --serve')
    .option('--engine-arg <word>', 'one argument for the engine itself; repeatable', collect)
    .option('--prompt-file <file>', 'read the prompt from a file; - is standard input')
    .option('--skill <name>', 'skill that the run is about; the prompt is optional (tacho skills)')
    .option('--skills <names>', 'more skills for the engine: all, none or names with commas')
    .option('--input <json>', 'input of the skill: JSON, @file or - for standard input')
    .option('--param <name=value>', 'parameter of the skill, JSON or text; repeatable', collect)
    .option('--parameters <json>', 'parameters of the skill: a JSON object, @file or -')
    .option('--require-marker', 'count the work as done only with the done marker "__SKILL_DONE__": true')
    .option('--format <name>', 'output format of an engine that has several (gemini: stream-json, json)')
    .option('--auth-from-home', 'copy the engine’s credentials from your own home into its managed one')
    .option(
      '--parse <engine|off>',
      'engine whose format a command prints · off: treat an engine’s output as plain text',
    )
    .option(
      '--translate <n>',
      '0: output as it is · 1: summary as JSON · 2: conversation as JSON · 3: chat (default for engines)',
    )
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (_: unknown, command: Command) => {
      const { readRunWords } = await import('../run/run-words.ts');
      const { readPipedText } = await import('../run/piped-text.ts');
      const { runCommand, runContexts } = await import('../run/run.ts');
      const { engineNames } = await import('../../runs/index.ts');
      const contextFor = runContexts();
      const isEngine = (word: string) =>
        ENGINE_NAMES.some((name) => name === word) || engineNames(contextFor(command.opts())).includes(word);
      const words = readRunWords(command, isEngine);
      const options = command.opts<RunOptions>();
      const readPiped = ({ required }: { required: boolean }) =>
        readPipedText({ required, quiet: options.quiet ?? false });
      process.exitCode = await runCommand({ words, afterDashes, readPiped }, options, contextFor);
    });
  withRecordOptions(command);
  withCommonOptions(command);
}

export function withRecordOptions(command: Command): Command {
  return command
    .option('--capture <mode>', 'split: two terminals (default) · trace: with strace · merged: one terminal')
    .option('-e, --env <name[=value]>', 'set a variable, or pass yours on; repeatable', collect)
    .option('--timeout <duration>', 'end the run after this long, e.g. 90s, 10m, 1h30m')
    .addOption(noProgressTimeout())
    .option('--keep-trace', 'keep the system-call trace (with --capture trace)')
    .option('--level <level>', 'how much to keep: full (default), standard, minimal');
}

/** Commander treats every `--no-…` as the negation of another option; this one is not. */
function noProgressTimeout(): Option {
  const option = new Option(
    '--no-progress-timeout <duration>',
    'end the run after this long without progress (engines: 10m)',
  );
  option.negate = false;
  return option;
}

export function collect(value: string, all: string[] = []): string[] {
  return [...all, value];
}

export interface ResumeOptions extends RecordOptions {
  reopen?: boolean;
  mode?: string;
  model?: string;
  answer?: string[];
}

export interface ReplyOptions extends CommonOptions {
  answer?: string[];
}

const ANSWER_OPTION = ['--answer <id=value>', 'answer to one of several questions; repeatable', collect] as const;

const RESUME_EXAMPLES = `
Examples:
  tacho resume 3f2a9c1b "use blue"
  tacho resume last 2                      the second of the choices
  tacho resume last -- -v is the flag I meant
  tacho resume --reopen 3f2a9c1b "now write the changelog"`;

export function registerResume(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('resume')
    .summary('answer an agent’s question, or continue its session')
    .description('Continues the engine’s own session with a message, as the next attempt of the same run.')
    .argument('<run>', 'run id, handle, its beginning, last, last~1 or a path')
    .argument('[message...]', 'the answer, or the number of a choice; after -- it may begin with a dash')
    .option(...ANSWER_OPTION)
    .option('--reopen', 'continue a run that has ended')
    .option('--mode <mode>', 'auto or interactive (default: as before)')
    .option('--model <name>', 'model for the engine (default: as before)')
    .option('--translate <n>', '0: output as it is · 1: summary as JSON · 2: conversation as JSON · 3: chat (default)')
    .addHelpText('after', RESUME_EXAMPLES)
    .action(async (selector: string, message: string[], options: ResumeOptions) => {
      const { resumeRun } = await import('../run/resume.ts');
      process.exitCode = await resumeRun(selector, [...message, ...afterDashes].join(' '), options);
    });
  withRecordOptions(command);
  withCommonOptions(command);
}

const REPLY_EXAMPLES = `
Examples:
  tacho reply 3f2a9c1b "use blue"
  tacho reply last 2                       the second of the choices
  tacho reply last --answer colour=red --answer size=2
  tacho reply last -- -v is the flag I meant

A running server takes the reply and continues the run. Without one: tacho resume.`;

export function registerReply(program: Command, afterDashes: readonly string[]): void {
  const command = program
    .command('reply')
    .summary('answer a waiting run through the server')
    .description('Answers the open question of a run; the server continues the run.')
    .argument('<run>', 'run id, handle, its beginning, last, last~1 or a path')
    .argument('[text...]', 'the answer, or the number of a choice; after -- it may begin with a dash')
    .option(...ANSWER_OPTION)
    .addHelpText('after', REPLY_EXAMPLES)
    .action(async (selector: string, text: string[], options: ReplyOptions) => {
      const { replyToRun } = await import('../run/reply.ts');
      await replyToRun(selector, [...text, ...afterDashes].join(' '), options);
    });
  withCommonOptions(command);
}

const ATTACH_EXAMPLES = `
Examples:
  tacho attach last
  tacho attach 3f2a9c1b --from-start

Ctrl-] detaches and leaves the run alone; every other key goes to it.`;

export function registerAttach(program: Command): void {
  const command = program
    .command('attach')
    .summary('take over the terminal of a live run')
    .description('Shows the terminal of a live run and types into it.')
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path', 'last')
    .option('--from-start', 'first show everything printed so far')
    .option('--read-only', 'watch without typing')
    .addHelpText('after', ATTACH_EXAMPLES)
    .action(async (selector: string, options: CommonOptions & { fromStart?: boolean; readOnly?: boolean }) => {
      const { attachRun } = await import('../run/attach.ts');
      await attachRun(selector, options);
    });
  withCommonOptions(command);
}

export function registerCancel(program: Command): void {
  const command = program
    .command('cancel')
    .summary('end a run')
    .description('Ends a run: SIGTERM to all of its processes, then SIGKILL. Its record is completed and sealed.')
    .argument('<run>', 'run id, handle, its beginning, last, last~1 or a path')
    .addHelpText('after', '\nExamples:\n  tacho cancel last\n  tacho cancel 3f2a9c1b')
    .action(async (selector: string, options: CommonOptions) => {
      const { endRun } = await import('../run/cancel.ts');
      await endRun(selector, options);
    });
  withCommonOptions(command);
}

export interface DemoOptions extends CommonOptions {
  serve?: boolean;
  port?: string;
  host?: string;
  scenario?: string;
  list?: boolean;
}

const DEMO_EXAMPLES = `
Examples:
  tacho demo                             an agent that works and asks a question
  tacho demo --serve                     a model server, until Ctrl-C
  tacho demo --port 4100 --scenario ask
  tacho demo --list                      the scenarios of the model server

Each request to the model server can choose a scenario by its path: http://127.0.0.1:4100/sc/tool/…`;

export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .summary('run a scripted agent, or serve a scripted model')
    .description(
      'Runs a scripted agent, to try tacho without an account. With --serve, serves a scripted model on this machine instead, for OpenAI, Gemini and Anthropic clients. No key, no network, no cost.',
    )
    .option('--serve', 'start the model server (implied by the options below)')
    .option('--port <n>', 'port to listen on; 0: any free one (default: 0)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--scenario <name>', 'scenario for paths that name none (default: tool)')
    .option('--list', 'list the scenarios and exit')
    .addHelpText('after', DEMO_EXAMPLES)
    .action(async (options: DemoOptions) => {
      process.exitCode = servesModel(options) ? await serve(options) : await runDemoAgent(options);
    });
  withCommonOptions(command);
}

function servesModel({ serve, port, host, scenario, list }: DemoOptions): boolean {
  return serve === true || list === true || [port, host, scenario].some((given) => given !== undefined);
}

async function serve(options: DemoOptions): Promise<number> {
  const { serveDemo } = await import('../run/demo.ts');
  return serveDemo(options);
}

async function runDemoAgent(options: CommonOptions): Promise<number> {
  const { runCommand } = await import('../run/run.ts');
  const words = ['demo', 'Look around and write a report.'];
  return runCommand({ words, afterDashes: [], readPiped: null }, { ...options, mode: 'interactive', scratch: true });
}

/** The server starts this command for every attempt. Not for users, so the help does not list it. */
export function registerSupervise(program: Command): void {
  const command = program
    .command('supervise', { hidden: true })
    .description('Records the next attempt of a queued run.')
    .argument('<run>', 'run folder')
    .action(async (selector: string, options: CommonOptions) => {
      const { superviseRun } = await import('../run/supervise.ts');
      await superviseRun(selector, options);
    });
  withCommonOptions(command);
}
