import { type Argument, Command, type CommanderError, Help, type Option } from 'commander';
import { exitOnFatalError } from '../files/fatal.ts';
import { moveCommandFirst } from './grammar/options-before-command.ts';
import { fitHelp } from './output/fit-line.ts';
import { showsUtf8 } from './output/terminal-abilities.ts';
import { readVersion } from './version.ts';

/** Adds a command to the program; its work is imported when it runs. */
export type Register = (program: Command, afterDashes: readonly string[]) => void;

/** Commands that record to the end even if nothing reads their output. */
const RECORDING = ['run', 'resume', 'demo'];

/** Runs the called command out of the given ones. Expects expanded aliases. */
export async function runProgram(argv: readonly string[], commands: readonly Register[]): Promise<void> {
  if (process.stdout.isTTY || process.stderr.isTTY) {
    const { guardTerminals } = await import('./output/guarded-terminal.ts');
    guardTerminals();
  }
  if (!showsUtf8()) await printAsciiSigns(argv);
  // Arguments after the first -- belong to the program to run and are not parsed here.
  const dashes = argv.indexOf('--');
  let own = dashes < 0 ? argv : argv.slice(0, dashes);
  const afterDashes = dashes < 0 ? [] : argv.slice(dashes + 1);
  const program = new Command('tacho')
    .description('Records AI agents and any command in a real terminal: exact, replayable, sealed.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp(PLAIN_DEFAULTS)
    .showSuggestionAfterError(true);
  for (const register of commands) register(program, afterDashes);
  if (own.length === 0 || own[0] === 'help' || own[0]!.startsWith('-')) {
    const { formatTopHelp } = await import('./grammar/top-help.ts');
    // After adding the commands, which keep the standard format.
    program.configureHelp({ formatHelp: formatTopHelp });
  }
  reportUsage(program);
  if (own.length === 0) {
    program.outputHelp();
    return;
  }
  process.stderr.off('error', ignoreClosed).on('error', ignoreClosed);
  exitOnFatalError(reportFatal);
  try {
    own = moveCommandFirst(await asEngineRun(own, program), program);
    // Named functions, registered once each: a program may call this more than once.
    process.stdout
      .off('error', quitQuietly)
      .off('error', ignoreClosed)
      .on('error', RECORDING.includes(own[0]!) ? ignoreClosed : quitQuietly);
    await program.parseAsync(own, { from: 'user' });
  } catch (error) {
    const misread = error instanceof UsageProblem;
    const problem = misread ? await explain(error, own) : error;
    if (problem === null) return; // Help was requested and printed.
    const { reportError } = await import('./output/report-error.ts');
    // After the first word of a command to run, `--json` is an option of that command.
    const recorded = own[0] === 'run' && !misread ? program.commands.find((one) => one.name() === 'run') : undefined;
    process.exitCode = reportError(problem, recorded ? Boolean(recorded.opts().json) : own.includes('--json'));
  }
}

/** Commander prints defaults as JSON. */
const PLAIN_DEFAULTS = {
  argumentDescription: (argument: Argument) => unquoteDefault(new Help().argumentDescription(argument)),
  optionDescription: (option: Option) => unquoteDefault(new Help().optionDescription(option)),
};

function unquoteDefault(description: string): string {
  return description.replace(/\(default: "([^"]*)"\)$/, '(default: $1)');
}

/** `tacho my-agent "fix it"` is a run, if the configuration here defines that engine. */
async function asEngineRun(words: readonly string[], program: Command): Promise<readonly string[]> {
  const [first = ''] = words;
  const isCommand = program.commands.some((one) => one.name() === first || one.aliases().includes(first));
  if (isCommand || first === 'help' || first.startsWith('-')) return words;
  const { isDefinedEngine } = await import('./grammar/is-defined-engine.ts');
  return isDefinedEngine(first) ? ['run', ...words] : words;
}

/** Commands whose text on stdout is data, which must not change. */
const PRINTS_DATA =
  /^(?:raw|export|events|replay|logs|diff|completion|mcp|runtime|config (?:defaults|get)|terminal (?:read|screen|exec|attach|wait))(?: |$)| --json(?: |$)| --translate[= ][12](?: |$)/;

async function printAsciiSigns(argv: readonly string[]): Promise<void> {
  const { writeAsciiSigns } = await import('./output/ascii-output.ts');
  writeAsciiSigns(process.stderr);
  if (!PRINTS_DATA.test(argv.join(' '))) writeAsciiSigns(process.stdout);
}

/** An uncaught error is a bug. Ends the programs that were started; their records can be recovered. */
function reportFatal(error: unknown): void {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`tacho: unexpected error [INTERNAL]\n${trace}\n`);
}

function quitQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

/** The reader of a pipe has gone, or a terminal hung up. */
function ignoreClosed(): void {}

/** A problem with a command line, and the command concerned. */
class UsageProblem extends Error {
  readonly complaint: CommanderError;
  readonly command: Command;

  constructor(complaint: CommanderError, command: Command) {
    super(complaint.message);
    this.complaint = complaint;
    this.command = command;
  }
}

/** Replaces Commander's own error messages, and keeps the command concerned. */
function reportUsage(command: Command): void {
  command
    .exitOverride((complaint) => {
      throw new UsageProblem(complaint, command);
    })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(fitHelp(text, process.stdout)),
      writeErr: () => {},
    });
  for (const inner of command.commands) reportUsage(inner);
}

/** Null when the requested help has been printed. */
async function explain({ complaint, command }: UsageProblem, words: readonly string[]): Promise<unknown> {
  if (complaint.exitCode === 0) return null;
  if (complaint.code === 'commander.help') {
    // A command group without a command name.
    command.outputHelp();
    return null;
  }
  const { usageError } = await import('./grammar/usage-error.ts');
  return usageError(complaint, command, words);
}
