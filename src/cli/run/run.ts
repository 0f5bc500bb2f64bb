import type { NewRun } from '../../client/index.ts';
import type { SettledRequest } from '../../protocol/index.ts';
import {
  type AcceptedSkills,
  ApprovalStore,
  type AttemptOrder,
  decideApproval,
  FIRST_ATTEMPT,
  parseRunRequest,
  type RunContext,
  recoverLostRuns,
  requestSettings,
  type SkippedSkill,
  settleRequest,
  supervise,
  superviseRepair,
  takeSkills,
} from '../../runs/index.ts';
import type { RecordOptions, RunOptions } from '../commands/run.ts';
import { openContext } from '../context.ts';
import { warnOfIgnoredKeys } from '../output/ignored-settings.ts';
import { paint } from '../output/paint.ts';
import { describeRecovery } from '../upkeep/recover.ts';
import { LiveConsole } from './live-console.ts';
import { chooseCapture, environmentOf, recordFields, SHELL_REASON, translateOf, usage } from './record-options.ts';
import { folderOf, placeOf } from './run-place.ts';
import { type ShownRun, showRun } from './show-run.ts';
import { type RunWords, wantedRun } from './wanted-run.ts';

/** `tacho run`: recorded by this process, or with `--queue` by the server. */
export async function runCommand(
  given: RunWords,
  options: RunOptions,
  contextFor: (options: RunOptions) => RunContext = runContexts(),
): Promise<number> {
  const context = contextFor(options);
  const what = await wantedRun(given, options, context);
  const wanted = { ...what, ...(await placeOf(what.engine, options, context)) };
  if (options.queue || options.detach) return queue(wanted, options, context);
  const order = { ...FIRST_ATTEMPT, run: options.runDir ?? null };
  return recordHere({ wanted, order }, options, context);
}

/**
 * Opens the settings of the folder that the run works in: again only if options after the name of an engine choose
 * another folder.
 */
export function runContexts(): (options: RunOptions) => RunContext {
  const opened = new Map<string, RunContext>();
  return (options) => {
    const workspaceRoot = folderOf(options) ?? process.cwd();
    const place = JSON.stringify([workspaceRoot, options.data]);
    const context = opened.get(place) ?? openContext(options, { workspaceRoot });
    opened.set(place, context);
    return context;
  };
}

/** Records and shows attempts in this process; shared by `run` and `resume`. */
export async function recordHere(attempt: WantedAttempt, options: RecordOptions, context: RunContext): Promise<number> {
  const recovery = await recoverLostRuns(context);
  if (!options.quiet) process.stderr.write(describeRecovery(recovery));
  const { json = false, quiet = false } = options;
  const translate = translationOf(attempt.wanted, options);
  return showRun(attemptHere(attempt, options, context), { translate, json, quiet });
}

interface WantedAttempt {
  wanted: NewRun;
  order: AttemptOrder;
  /** The skills of a run that continues, as they were accepted. */
  skills?: AcceptedSkills;
}

function attemptHere({ wanted, order, skills }: WantedAttempt, options: RecordOptions, context: RunContext): ShownRun {
  const keyboard = wanted.engine === undefined && translationOf(wanted, options) === 0;
  const screen = new LiveConsole({ keyboard, quiet: options.quiet ?? false });
  const settled = requestOf(wanted, options, { context, interactive: screen.interactive });
  return {
    async carryOut({ output, conversed }) {
      const request = await takeSkills({ ...settled, ...skills }, context, (skipped) => {
        if (!options.quiet) process.stderr.write(paint.dim(skippedLine(skipped)));
      });
      const watcher = { ...screen.watch({ merged: request.capture === 'merged', output }), conversed };
      const here = { ...order, interactive: screen.interactive, repairsHere: true };
      const outcome = await supervise({ request, order: here }, context, watcher);
      await screen.finishAttempt();
      const last =
        outcome.status === 'queued' ? await superviseRepair({ request, outcome }, context, watcher) : outcome;
      await screen.finish();
      return last;
    },
    async answer({ runDir }, reply) {
      const { resumptionOf } = await import('./resumption.ts');
      const { context: now, ...next } = await resumptionOf(runDir, reply, options);
      return attemptHere(next, options, now);
    },
    async decide(approvalId, decision) {
      await decideApproval(new ApprovalStore(context.home), approvalId, decision, context);
    },
    startLine: () => screen.startLine(),
    restore: () => screen.restore(),
  };
}

function skippedLine({ mention, error }: SkippedSkill): string {
  return `tacho: the skill ${mention} is left out: ${error.message} [${error.code}]\n`;
}

function translationOf({ engine, parse_as }: NewRun, { translate }: RecordOptions): 0 | 1 | 2 | 3 {
  return translateOf(translate, (engine ?? parse_as) === undefined ? 0 : 3);
}

/** Queues the run at the server, and shows it unless `--detach` is given. */
async function queue(wanted: NewRun, options: RunOptions, context: RunContext): Promise<number> {
  if (options.runDir !== undefined) {
    throw usage('--queue starts a new run; --run-dir continues one', 'Leave one of them out.');
  }
  const translate = translationOf(wanted, options);
  const request = requestOf(wanted, options, { context, interactive: false });
  const { openQueue, printQueued, QueuedRun } = await import('./queued-run.ts');
  const client = openQueue(context.home);
  if (options.detach) return printQueued(await client.createRun(request), { json: options.json ?? false });
  const keyboard = wanted.engine === undefined && translate === 0;
  const run = new QueuedRun({
    client,
    request,
    runsFolder: context.home.runs,
    keyboard,
    quiet: options.quiet ?? false,
  });
  return showRun(run, { translate, json: options.json ?? false, quiet: options.quiet ?? false });
}

function requestOf(
  wanted: NewRun,
  options: RecordOptions,
  { context, interactive }: { context: RunContext; interactive: boolean },
): SettledRequest {
  const { recording, limits } = recordFields(options);
  const capture = chooseCapture(options, wanted, { interactive });
  if (capture.capture_reason === SHELL_REASON && !options.quiet) {
    process.stderr.write(paint.dim(`tacho: stdout and stderr are recorded as one stream: ${SHELL_REASON}\n`));
  }
  const conversation = wanted.engine === undefined && translateOf(options.translate, 0) > 0;
  const request = parseRunRequest({
    ...wanted,
    ...environmentOf(options.env ?? [], wanted.env),
    ...capture,
    keep_trace: options.keepTrace ?? wanted.keep_trace,
    // The user's terminal type when input is interactive, and the size of their terminal if known.
    term: (interactive && process.env.TERM) || wanted.term,
    cols: process.stdout.columns || wanted.cols,
    rows: process.stdout.rows || wanted.rows,
    recording: { ...wanted.recording, ...recording, ...(conversation ? { conversation } : {}) },
    limits: { ...wanted.limits, ...limits },
    // For a run that continues: these settings come from the command line, unlike the stored ones.
    settings: wanted.settings && requestSettings({ recording, limits }, wanted.settings, 'command_line'),
  });
  const settled = settleRequest(request, context, 'command_line');
  if (!options.quiet) warnOfIgnoredKeys(settled, context.envFileKeys ?? []);
  return settled;
}
