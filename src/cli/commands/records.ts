import type { Command } from 'commander';
import { TachoError } from '../../protocol/error-code.ts';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface RunsOptions extends CommonOptions {
  limit: string;
  status?: string;
  watch?: boolean;
}

export function registerRuns(program: Command): void {
  const command = program
    .command('runs')
    .summary('list recorded runs, newest first')
    .description('Lists recorded runs, newest first. Completes the record of runs whose recorder died.')
    .option('--limit <n>', 'maximum number to show', '20')
    .option('--status <status>', 'only runs with this status')
    .option('--watch', 'keep running and show changes')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho runs --limit 100\n  tacho runs --status failed --json\n  tacho runs --watch',
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
    .summary('how a run went')
    .description('Shows how a run went, attempt by attempt, and what is missing if its recorder died.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--chat', 'the conversation instead')
    .addHelpText('after', '\nExamples:\n  tacho show last\n  tacho show last --chat\n  tacho show 3f2a9c1b --json')
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

export interface EventsOptions extends CommonOptions {
  follow?: boolean;
  fromSeq?: string;
  fromTs?: string;
  toTs?: string;
  type?: string;
  limit?: string;
}

export function registerEvents(program: Command): void {
  const command = program
    .command('events')
    .summary('the events of a run')
    .description('Prints the events of a run, oldest first: a line each, or with --json as they are kept.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('-f, --follow', 'follow new events until the run ends')
    .option('--from-seq <n>', 'start at this event')
    .option('--from-ts <time>', 'start at this time (ISO 8601)')
    .option('--to-ts <time>', 'stop after this time')
    .option('--type <prefix>', 'only event types with this prefix, e.g. raw or lifecycle.run')
    .option('--limit <n>', 'maximum number to show')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho events last\n  tacho events last --follow --type raw\n  tacho events last --json --from-seq 100',
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
    .summary('the exact bytes a run printed')
    .description('Writes the exact bytes of one stream of an attempt to stdout.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--stream <stream>', 'stdout (default), stderr, stdin, or pty: both merged')
    .option('--attempt <n>', 'attempt (default: the last)')
    .option('--range <from-to>', 'only these bytes, half-open, as in a raw_ref: 1024-2048')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho raw last\n  tacho raw 3f2a9c1b --stream stderr --attempt 1\n  tacho raw last --range 0-100 | xxd',
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
}

export function registerReplay(program: Command): void {
  const command = program
    .command('replay')
    .summary('watch a run again')
    .description('Plays a recording in this terminal, at the speed at which it happened.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--attempt <n>', 'attempt (default: the last)')
    .option('--speed <factor>', 'faster or slower', '1')
    .option('--from <time>', 'start here, e.g. 1:20 or 80s')
    .option('--idle <duration>', 'wait at most this long between outputs, e.g. 2s')
    .addHelpText('after', '\nExamples:\n  tacho replay last\n  tacho replay 3f2a9c1b --speed 4 --idle 1s --from 1:20')
    .action(async (selector: string, options: ReplayOptions) => {
      const { replayRun } = await import('../records/replay.ts');
      await replayRun(selector, options);
    });
  withCommonOptions(command);
}

export interface ExportOptions extends CommonOptions {
  format: string;
  attempt?: string;
  output?: string;
  since?: string;
}

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .summary('a run as asciicast, text, picture or zip')
    .description(
      'Writes a run in a form other programs read: asciicast v2 (plays in asciinema), plain text, its disc as an SVG picture, or the whole record as zip, with a proof that the ledger lists its seals.',
    )
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .requiredOption('--format <format>', 'asciicast, txt, svg or zip')
    .option('--attempt <n>', 'attempt, for asciicast and txt (default: the last)')
    .option('-o, --output <file>', 'write here (default: stdout; for zip <run>.zip)')
    .option('--since <head>', 'for zip: also prove that the ledger only grew since this head')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho export last --format asciicast -o demo.cast && asciinema play demo.cast\n  tacho export last --format txt\n  tacho export last --format svg -o disc.svg\n  tacho export 3f2a9c1b --format zip',
    )
    .action(async (selector: string, options: ExportOptions) => {
      const { exportRun } = await import('../records/export.ts');
      await exportRun(selector, options);
    });
  withCommonOptions(command);
}

export interface VerifyOptions extends CommonOptions {
  key?: string;
  since?: string;
  deep?: boolean;
}

export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .summary('prove that a record was not changed')
    .description(
      'Recomputes every hash of a run and checks its signatures. Names the place that does not match. With --since, checks all runs against a head of the ledger that was kept elsewhere.',
    )
    .argument('[run]', 'run id, handle, its beginning, "last", or a path')
    .option('--key <id>', 'insist that every seal was signed with this key')
    .option(
      '--since <head>',
      'check that no sealed run was changed, replaced or removed since `tacho ledger head` printed this line',
    )
    .option('--deep', 'with --since: also recompute every hash of every run')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho verify last\n  tacho verify /mnt/archive/20261115T083000-text-3f2a9c1b --json\n\nExit code 0: intact. 1: changed, or cut off before it was sealed.',
    )
    .action(async (selector: string | undefined, options: VerifyOptions) => {
      if (options.since !== undefined) {
        if (selector !== undefined) {
          throw new TachoError('USAGE', 'verify --since checks all runs and takes no run', {
            fix: 'Leave out the run, or leave out --since.',
          });
        }
        const { checkAllSince } = await import('../records/ledger.ts');
        process.exitCode = await checkAllSince(options.since, options);
        return;
      }
      if (selector === undefined)
        throw new TachoError('USAGE', 'verify needs a run', { fix: 'Example: tacho verify last' });
      const { verifyCommand } = await import('../records/verify.ts');
      process.exitCode = await verifyCommand(selector, options);
    });
  withCommonOptions(command);
}

export interface LedgerProofOptions extends CommonOptions {
  since?: string;
}

export function registerLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .summary('the ledger of all seals, and proofs from it')
    .description(
      'Every seal is entered into a ledger, and one short line stands for all of them. Keep that line out of reach of anyone who can change the runs, for example in a CI log, a commit or a ticket.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  tacho ledger head\n  tacho ledger proof last\n  tacho verify --since "$(cat head.txt)"\n  tacho verify --since "$(cat head.txt)" --deep',
    );
  const head = ledger
    .command('head')
    .summary('print the line that stands for all seals so far')
    .description('Prints size, root hash, key and signature of the ledger in one line.')
    .action(async (_: unknown, command: Command) => {
      const { ledgerHead } = await import('../records/ledger.ts');
      await ledgerHead(command.optsWithGlobals());
    });
  withCommonOptions(head);
  const proof = ledger
    .command('proof')
    .summary('prove that the ledger lists the seals of a run')
    .description(
      'Prints, as JSON, the proof that connects the seals of a run to a signed head of the ledger. tacho export --format zip includes the same proof, and tacho verify and the page check it.',
    )
    .argument('<run>', 'run id, handle, its beginning, or "last"')
    .option('--since <head>', 'also prove that the ledger only grew since this head')
    .action(async (selector: string, _: unknown, command: Command) => {
      const { printLedgerProof } = await import('../records/ledger.ts');
      await printLedgerProof(selector, command.optsWithGlobals());
    });
  withCommonOptions(proof);
}

const REPARSE_EXAMPLES = `
Examples:
  tacho reparse last
  tacho reparse 3f2a9c1b --json

Exits with 0 when the recorded bytes give exactly the recorded events, with 1 when they do not.`;

export function registerReparse(program: Command): void {
  const command = program
    .command('reparse')
    .summary('read a run’s bytes again and compare the events')
    .description(
      'Reads the recorded bytes again with today’s parser and compares the events with those recorded. Nothing is changed.',
    )
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .addHelpText('after', REPARSE_EXAMPLES)
    .action(async (selector: string, options: CommonOptions) => {
      const { reparseRun } = await import('../records/reparse.ts');
      process.exitCode = await reparseRun(selector, options);
    });
  withCommonOptions(command);
}

export interface ImportOptions extends CommonOptions {
  stdout?: string;
  stderr?: string;
  pty?: string;
  exitCode?: string;
  signal?: string;
  mode?: string;
  requireMarker?: boolean;
}

const IMPORT_EXAMPLES = `
Examples:
  tacho import codex --stdout out.log --stderr err.log --exit-code 0
  tacho import claude --pty session.log --exit-code 1 --json
  docker logs job 2>/dev/null | tacho import gemini --stdout - --exit-code 0`;

export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .summary('make a run from logs recorded elsewhere')
    .description(
      'Makes a run from logs that were recorded elsewhere: a CI job, another harness. It gets events, a conversation, a completion and a seal like any other.',
    )
    .argument('<engine>', 'which engine printed them; text for any other command')
    .option('--stdout <file>', 'its standard output; - reads ours')
    .option('--stderr <file>', 'its standard error')
    .option('--pty <file>', 'both, as a terminal showed them')
    .option('--exit-code <n>', 'how it exited')
    .option('--signal <name>', 'the signal that killed it, e.g. SIGTERM')
    .option('--mode <mode>', 'auto (default) or interactive')
    .option('--require-marker', 'count the work as done only with the done marker')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (engine: string, options: ImportOptions) => {
      const { importLogs } = await import('../records/import.ts');
      await importLogs(engine, options);
    });
  withCommonOptions(command);
}

export function registerRecover(program: Command): void {
  const command = program
    .command('recover')
    .summary('complete runs whose recorder died')
    .description(
      'Completes the record of runs whose recorder died: ends what is left of them, reads their bytes again, seals them.',
    )
    .argument('[run]', 'one run; all of them when left out')
    .addHelpText('after', '\nExamples:\n  tacho recover\n  tacho recover 3f2a9c1b')
    .action(async (selector: string | undefined, options: CommonOptions) => {
      const { recoverRuns } = await import('../records/recover.ts');
      await recoverRuns(selector, options);
    });
  withCommonOptions(command);
}

export interface PruneOptions extends CommonOptions {
  olderThan?: string;
  keep: string;
  status?: string;
  dryRun?: boolean;
}

const PRUNE_EXAMPLES = `
Examples:
  tacho prune --older-than 30d --dry-run      what would go, and how much room it takes
  tacho prune --older-than 30d --keep 100
  tacho prune --older-than 7d --status failed`;

export function registerPrune(program: Command): void {
  const command = program
    .command('prune')
    .summary('remove old runs')
    .description('Removes runs that ended long ago, with all they left. Runs that have not ended are never touched.')
    .option('--older-than <duration>', 'only runs that ended longer ago than this, e.g. 30d')
    .option('--keep <n>', 'the newest runs that stay in any case', '0')
    .option('--status <status>', 'only runs with this final status: succeeded, failed or canceled')
    .option('--dry-run', 'say what would go, and remove nothing')
    .addHelpText('after', PRUNE_EXAMPLES)
    .action(async (options: PruneOptions) => {
      const { pruneRuns } = await import('../records/prune.ts');
      await pruneRuns(options);
    });
  withCommonOptions(command);
}

export function registerIndex(program: Command): void {
  const index = program
    .command('index')
    .summary('the index of all runs')
    .description('The index by which the server lists and searches runs. It is made from the run folders.');
  const rebuild = index
    .command('rebuild')
    .description('Makes the index again from the run folders. The server has to be stopped for it.')
    .addHelpText('after', '\nExamples:\n  tacho index rebuild')
    .action(async (options: CommonOptions) => {
      const { rebuildIndex } = await import('../records/rebuild-index.ts');
      await rebuildIndex(options);
    });
  withCommonOptions(rebuild);
}
