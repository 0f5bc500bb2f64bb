import { Command, CommanderError } from 'commander';
import { exitOnFatalError } from '../files/fatal.ts';
import { TachoError } from '../protocol/error-code.ts';
import { showsUtf8 } from './output/terminal-abilities.ts';
import { readVersion } from './version.ts';

/** Adds a command to the program; its work is imported when it runs. */
export type Register = (program: Command, afterDashes: readonly string[]) => void;

const EXAMPLES = `
Examples:
  tacho run -- npm test              record a command; its exit code is tacho's
  tacho run codex -- "fix the test"  let an engine work, shown as a conversation
  tacho runs                         list what was recorded
  tacho show last                    how the last run went
  tacho replay last --speed 2        watch it again
  tacho verify last                  prove that nothing was changed since`;

/** Runs the command that is called, out of those that are offered. */
export async function runProgram(argv: readonly string[], commands: readonly Register[]): Promise<void> {
  if (process.stdout.isTTY || process.stderr.isTTY) {
    const { guardTerminals } = await import('./output/guarded-terminal.ts');
    guardTerminals();
  }
  if (!showsUtf8()) await printAsciiSigns(argv);
  // What stands after the first -- is a program's own and none of ours to parse.
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const afterDashes = dashes < 0 ? [] : argv.slice(dashes + 1);
  const program = new Command('tacho')
    .description('Runs AI agents and any command in a real terminal: byte-exact, replayable, sealed.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError(true);
  for (const register of commands) register(program, afterDashes);
  quietAll(program);
  if (argv.length === 0) {
    program.outputHelp();
    return;
  }
  // A run is recorded to its end, whether or not its output is still read; other commands have nothing left to do.
  const records = own[0] === 'run' || own[0] === 'resume' || own[0] === 'demo';
  // Named functions, once each: a program may call this more than once.
  process.stdout
    .off('error', quitQuietly)
    .off('error', ignoreClosed)
    .on('error', records ? ignoreClosed : quitQuietly);
  process.stderr.off('error', ignoreClosed).on('error', ignoreClosed);
  exitOnFatalError(reportFatal);
  try {
    await program.parseAsync(own, { from: 'user' });
  } catch (error) {
    const problem = translateUsage(error);
    if (problem === null) return; // Help was asked for and printed.
    const { reportError } = await import('./output/report-error.ts');
    process.exitCode = reportError(problem, own.includes('--json'));
  }
}

/** Commands whose text on stdout is data, which must not change. */
const PRINTS_DATA =
  /^(?:raw|export|events|replay|logs|diff|completion|mcp|runtime|config (?:defaults|get)|terminal (?:read|screen|exec|attach|wait))(?: |$)| --json(?: |$)| --translate[= ][12](?: |$)/;

async function printAsciiSigns(argv: readonly string[]): Promise<void> {
  const { writeAsciiSigns } = await import('./output/ascii-output.ts');
  writeAsciiSigns(process.stderr);
  if (!PRINTS_DATA.test(argv.join(' '))) writeAsciiSigns(process.stdout);
}

/** A bug: nothing caught it. Programs that were started are ended, and their records can be recovered. */
function reportFatal(error: unknown): void {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`tacho: unexpected error [INTERNAL]\n${trace}\n`);
}

function quitQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

/** A pipe whose reader has gone, or a terminal that was hung up. */
function ignoreClosed(): void {}

/** Complaints are ours to print, whichever command they are about. */
function quietAll(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  for (const inner of command.commands) quietAll(inner);
}

/** Commander's complaints become ours: one form and one exit code for everything that is wrong. */
function translateUsage(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return null;
  const unknown = error.code === 'commander.unknownCommand';
  const message = error.message.replace(/^error: /, '').trim();
  return new TachoError(unknown ? 'UNKNOWN_COMMAND' : 'USAGE', message, { fix: 'See: tacho --help' });
}
