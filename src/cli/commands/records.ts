import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';
import type { ResultOptions } from '../records/result.ts';

const RUN = 'run id, handle, its beginning, last, last~1 or a path';

export interface RunsOptions extends CommonOptions {
  limit: string;
  status?: string;
  search?: string;
  live?: boolean;
  watch?: boolean;
}

export function registerRuns(program: Command): void {
  const command = program
    .command('runs')
    .summary('list recorded runs, newest first (also: ls)')
    .description(
      'Lists recorded runs, newest first (also: tacho ls, tacho list). Completes the records of runs whose recorder died.',
    )
    .option('--limit <n>', 'maximum number to show', '20')
    .option('--status <status>', 'only runs with this status')
    .option('--search <words>', 'only runs whose prompt, conversation or screen has all of these words')
    .option('--live', 'only runs that have not ended (tacho ps)')
    .option('--watch', 'keep running and show changes')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho runs --limit 100\n  tacho runs --status failed --json\n  tacho runs --search \'flaky "login page"\'\n  tacho runs --watch',
    )
    .action(async (options: RunsOptions) => {
      const { listRuns } = await import('../records/list.ts');
      await listRuns(options);
    });
  withCommonOptions(command);
}

export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .summary('show how a run went')
    .description('Shows how a run went, attempt by attempt, and what is missing if its recorder died.')
    .argument('[run]', RUN, 'last')
    .option('--chat', 'show the conversation instead')
    .addHelpText('after', '\nExamples:\n  tacho show\n  tacho show last~1 --chat\n  tacho show 3f2a9c1b --json')
    .action(async (selector: string, options: CommonOptions & { chat?: boolean }) => {
      if (options.chat) {
        const { showChat } = await import('../records/show-chat.ts');
        await showChat(selector, options);
        return;
      }
      const { showRun } = await import('../records/show.ts');
      await showRun(selector, options);
    });
  withCommonOptions(command);
}

export function registerResult(program: Command): void {
  const command = program
    .command('result')
    .summary('print the result of a run with a skill')
    .description(
      'Prints the result of a run with a skill: its payload, and on stderr what is wrong with it. Exits with 1 unless the run succeeded.',
    )
    .argument('[run]', RUN, 'last')
    .option('--artifacts <folder>', 'copy the artifacts of the run to this folder')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho result\n  tacho result 3f2a9c1b --json\n  tacho result last --artifacts out > result.json',
    )
    .action(async (selector: string, options: ResultOptions) => {
      const { printResult } = await import('../records/result.ts');
      await printResult(selector, options);
    });
  withCommonOptions(command);
}

export interface EventsOptions extends CommonOptions {
  follow?: boolean;
  fromSeq?: string;
  fromTs?: string;
  toTs?: string;
  type?: string;
  limit?: string;
  full?: boolean;
}

export function registerEvents(program: Command): void {
  const command = program
    .command('events')
    .summary('print the events of a run')
    .description('Prints the events of a run, oldest first: one per line, or with --json as they are stored.')
    .argument('[run]', RUN, 'last')
    .option('-f, --follow', 'follow new events until the run ends')
    .option('--from-seq <n>', 'start at this event')
    .option('--from-ts <time>', 'start at this time (ISO 8601)')
    .option('--to-ts <time>', 'stop after this time')
    .option('--type <prefix>', 'only event types with this prefix, e.g. raw or lifecycle.run')
    .option('--limit <n>', 'maximum number to show')
    .option('--full', 'whole text of long output instead of its beginning')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho events\n  tacho events last --follow --type raw\n  tacho events last --json --from-seq 100\n  tacho events last --json --full',
    )
    .action(async (selector: string, options: EventsOptions) => {
      const { printEvents } = await import('../records/events.ts');
      await printEvents(selector, options);
    });
  withCommonOptions(command);
}

export interface RawOptions extends CommonOptions {
  stream?: string;
  attempt?: string;
  range?: string;
}

export function registerRaw(program: Command): void {
  const command = program
    .command('raw')
    .summary('print the exact bytes of a run')
    .description('Writes the exact bytes of one stream of an attempt to stdout.')
    .argument('[run]', RUN, 'last')
    .option('--stream <stream>', 'stdout (default), stderr, stdin, or pty: both merged')
    .option('--attempt <n>', 'attempt (default: the last)')
    .option('--range <from-to>', 'only these bytes, half-open, as in a raw_ref: 1024-2048')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho raw\n  tacho raw 3f2a9c1b --stream stderr --attempt 1\n  tacho raw last --range 0-100 | xxd',
    )
    .action(async (selector: string, options: RawOptions) => {
      const { writeRaw } = await import('../records/raw.ts');
      await writeRaw(selector, options);
    });
  withCommonOptions(command);
}

export interface ReplayOptions extends CommonOptions {
  attempt?: string;
  speed: string;
  from?: string;
  idle?: string;
  raw?: boolean;
}

export function registerReplay(program: Command): void {
  const command = program
    .command('replay')
    .summary('watch a run again')
    .description(
      'Plays a run again, at the speed at which it happened: an agent as a conversation, a command as its terminal showed it. At a terminal, keys pause, seek and change the speed; ? lists them.',
    )
    .argument('[run]', RUN, 'last')
    .option('--raw', 'play what an agent printed instead of the conversation')
    .option('--attempt <n>', 'attempt (default: all of a conversation, else the last)')
    .option('--speed <factor>', 'playback speed, e.g. 0.5 or 4; max: without waiting', '1')
    .option('--from <time>', 'start here, e.g. 1:20 or 80s')
    .option('--idle <duration>', 'wait at most this long between outputs, e.g. 2s')
    .addHelpText('after', '\nExamples:\n  tacho replay\n  tacho replay 3f2a9c1b --speed 4 --idle 1s --from 1:20')
    .action(async (selector: string, options: ReplayOptions) => {
      const { replayRun } = await import('../records/replay.ts');
      await replayRun(selector, options);
    });
  withCommonOptions(command);
}

export interface ExportOptions extends CommonOptions {
  format?: string;
  attempt?: string;
  output?: string;
  since?: string;
  raw?: boolean;
}

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .summary('write a run as transcript, text, asciicast, picture or zip')
    .description(
      'Writes a run in a form for other people or programs: a Markdown transcript, plain text, asciicast v2 (plays in asciinema), its disc as an SVG picture, or the whole record as zip, with a proof that the ledger lists its seals.',
    )
    .argument('[run]', RUN, 'last')
    .option('--format <format>', 'md, txt, asciicast, svg or zip (default: by the name of --output, else zip)')
    .option('--attempt <n>', 'attempt, for md, txt and asciicast (default: all of a conversation, else the last)')
    .option('--raw', 'for txt and asciicast: what the engine printed instead of the conversation')
    .option('-o, --output <file>', 'write here (default: stdout; for zip <run>.zip)')
    .option('--since <head>', 'for zip: also prove that the ledger only grew since this head')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho export\n  tacho export last -o transcript.md\n  tacho export last --format txt\n  tacho export last -o demo.cast && asciinema play demo.cast\n  tacho export last -o disc.svg\n  tacho export 3f2a9c1b --format zip',
    )
    .action(async (selector: string, options: ExportOptions) => {
      const { exportRun } = await import('../records/export.ts');
      await exportRun(selector, options);
    });
  withCommonOptions(command);
}

export interface ImportOptions extends CommonOptions {
  run?: string;
  stdout?: string;
  stderr?: string;
  pty?: string;
  stdin?: string;
  timing?: string;
  exitCode?: string;
  signal?: string;
  mode?: string;
  requireMarker?: boolean;
}

const IMPORT_EXAMPLES = `
Examples:
  tacho import ~/.codex/sessions/2026/11/16/rollout-….jsonl
  tacho import --run ~/agent-runs/20261116-codex
  tacho import demo.cast
  tacho import typescript --timing timing.log
  tacho import codex --stdout out.log --stderr err.log --exit-code 0
  docker logs job 2>/dev/null | tacho import gemini --stdout - --exit-code 0`;

export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .summary('make a run from logs recorded elsewhere')
    .description(
      'Makes a run from logs that were recorded elsewhere: output kept by a CI job, a session file of an engine, an asciicast, a log of script, a folder of attempts. It gets events, a conversation, a completion and a seal like any other.',
    )
    .argument('[engine]', 'engine that printed it; text for any other command (default: found by the content)')
    .argument('[file]', 'log to import; - reads stdin')
    .option('--run <folder>', 'folder of attempts that another recorder wrote')
    .option('--stdout <file>', 'standard output alone')
    .option('--stderr <file>', 'standard error alone')
    .option('--pty <file>', 'both, as a terminal showed them')
    .option('--stdin <file>', 'what was typed into the terminal')
    .option('--timing <file>', 'timing file of script')
    .option('--exit-code <n>', 'its exit code')
    .option('--signal <name>', 'signal that killed it, e.g. SIGTERM')
    .option('--mode <mode>', 'auto (default) or interactive')
    .option('--require-marker', 'count the work as done only with the done marker')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (engine: string | undefined, file: string | undefined, options: ImportOptions) => {
      const { importLogs } = await import('../records/import.ts');
      await importLogs([engine, file], options);
    });
  withCommonOptions(command);
}
