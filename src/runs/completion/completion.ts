import type {
  ClaimedCompletion,
  Completion,
  CompletionState,
  DiagnosticCode,
  EndedByUs,
  ExitFacts,
  RunMode,
  TachoError,
  Violation,
} from '../../protocol/index.ts';
import type { EndEvidence, Evidence } from './end-evidence.ts';

/** The facts about the end of an attempt. */
export interface CompletionFacts {
  exit: Pick<ExitFacts, 'exit_code' | 'signal'>;
  /** The output was recorded elsewhere, and how the process ended is not known: what the engine says decides alone. */
  exitUnknown?: boolean;
  /** It was recorded elsewhere: no answer can reach the engine any more. */
  unanswerable?: boolean;
  /** What the recorder said that it was imported from. */
  claimed?: ClaimedCompletion | null;
  /** Only the engine's session file was followed, and may go on: a turn without an end is not a failure. */
  watched?: boolean;
  /** What the program waits for is kept by itself, whatever becomes of it: our own agent. */
  keepsWaiting?: boolean;
  /** Why tacho ended the attempt, if it did. */
  endedByUs: EndedByUs | null;
  /** Set when the recording process itself was lost. */
  supervisorLost?: boolean;
  /** Set when the record was modified during recording. */
  recordTouched?: TachoError | null;
  /** Why the program was never started. */
  notStarted?: TachoError | null;
  /** The source of the terminal signal: the process by exiting with 0 (any command), or the engine itself. */
  terminalBy: 'process' | 'engine';
  mode: RunMode;
  /** A skill or the request requires a done marker; without one the attempt is not done. */
  markerRequired: boolean;
  /** What is wrong with the result, if the run has a skill. */
  violations?: readonly Violation[];
  evidence: EndEvidence;
}

/** The others are in `result.N.json`. */
const MAX_SHOWN_VIOLATIONS = 5;

type Rule = (facts: CompletionFacts) => Completion | null;

/** Ordered; the first match decides. The numbers are those of docs/completion.md. */
const RULES: readonly Rule[] = [
  neverStarted,
  touchedRecord,
  cutOffWhileWaiting,
  endedByTacho,
  explicitSignal,
  failed,
  endedWithoutSignal,
  marked,
  exitZero,
  waitingSignal,
  terminalSignal,
];

export function analyzeCompletion(facts: CompletionFacts): Completion {
  const { errors } = facts.evidence;
  for (const rule of RULES) {
    const completion = rule(facts);
    if (completion) return withSigns(facts.unanswerable ? unanswered(completion) : checked(completion, facts), facts);
  }
  const taken = takenOver(facts);
  if (taken) return withSigns(facts.unanswerable ? unanswered(taken) : taken, facts);
  return withSigns(
    {
      ...base(5, 'none'),
      state: 'unknown',
      reason_code: 'INCOMPLETE_STATE_CLASSIFICATION',
      confidence: 0.2,
      diagnostics: ['INCOMPLETE_STATE_CLASSIFICATION'],
      evidence: errors.map(shown),
    },
    facts,
  );
}

const REASONS: Record<EndedByUs, string> = {
  hard_timeout: 'HARD_TIMEOUT',
  no_progress: 'NO_PROGRESS',
  auth_rejected: 'ENGINE_AUTH_REQUIRED',
  canceled: 'CANCELED',
  budget: 'BUDGET_EXCEEDED',
  output_cap: 'OUTPUT_CAP',
  disk_full: 'DISK_FULL',
  recording_failed: 'RECORDING_FAILED',
};

/** Rule 0. */
function neverStarted({ notStarted, supervisorLost }: CompletionFacts): Completion | null {
  if (!notStarted || supervisorLost) return null;
  return {
    ...base(0, 'tacho'),
    state: 'interrupted',
    reason_code: notStarted.code,
    evidence: [{ kind: 'error', detail: notStarted.message, raw_ref: null }],
  };
}

/** Rule 0: a program that modified its own record is not trusted. */
function touchedRecord({ recordTouched, endedByUs, supervisorLost }: CompletionFacts): Completion | null {
  if (!recordTouched || supervisorLost || (endedByUs !== null && endedByUs !== 'recording_failed')) return null;
  return {
    ...base(0, 'tacho'),
    state: 'interrupted',
    reason_code: recordTouched.code,
    evidence: [{ kind: 'record', detail: recordTouched.message, raw_ref: null }],
  };
}

/**
 * Also rule 0: the program or its recorder was killed, or its log was followed no longer, while our own agent waited for a
 * person. What it waits for is kept in its own log, so the run still waits for it.
 */
function cutOffWhileWaiting(facts: CompletionFacts): Completion | null {
  const { exit, endedByUs, supervisorLost = false, evidence, keepsWaiting = false } = facts;
  const isCutOff = supervisorLost || exit.signal !== null || (keepsWaiting && isUnknown(facts));
  if (!isCutOff || endedByUs || evidence.failure || evidence.terminal) return null;
  const [open] = evidence.openApprovals.values();
  const sign = evidence.waiting ?? evidence.question ?? open;
  if (!sign) return null;
  return {
    ...waits(0, evidence, sign),
    ...(supervisorLost ? { diagnostics: ['SUPERVISOR_LOST'] } : {}),
  };
}

/** Rule 0: an attempt ended by tacho is interrupted, whatever it printed. */
function endedByTacho(facts: CompletionFacts): Completion | null {
  const { endedByUs, supervisorLost, watched = false, exit, terminalBy, evidence } = facts;
  // The death of a watch says nothing about the session that it followed.
  if (supervisorLost && !watched) {
    return {
      ...base(0, 'tacho'),
      state: 'interrupted',
      reason_code: 'SUPERVISOR_LOST',
      diagnostics: ['SUPERVISOR_LOST'],
      evidence: [{ kind: 'supervisor', detail: 'the recording process ended before the attempt did', raw_ref: null }],
    };
  }
  if (!endedByUs) return null;
  const standsStill = endedByUs === 'no_progress' && terminalBy === 'engine';
  const reason_code = standsStill ? 'ENGINE_NO_PROGRESS' : REASONS[endedByUs];
  return {
    ...base(0, 'tacho'),
    state: 'interrupted',
    reason_code,
    diagnostics: reason_code.startsWith('ENGINE_') ? [reason_code] : [],
    evidence: [
      { kind: endedByUs, detail: describeExit(exit), raw_ref: null },
      ...evidence.errors.map(shown),
      ...(evidence.retry ? [shown(evidence.retry)] : []),
    ],
  };
}

/** Rule 1: an explicit done signal names the state. */
function explicitSignal({ evidence: { doneSignal } }: CompletionFacts): Completion | null {
  if (!doneSignal) return null;
  const { state, reason_code, needs_user_input } = doneSignal.signal;
  return {
    ...base(1, 'done_signal'),
    state,
    reason_code: reason_code ?? 'DONE_SIGNAL',
    needs_user_input: needs_user_input ?? state === 'awaiting_user_input',
    evidence: [shown(doneSignal)],
  };
}

/** Rule 2: the process or the engine reports a failure. A marker next to it is a conflict, and the failure wins. */
function failed(facts: CompletionFacts): Completion | null {
  const { exit, evidence } = facts;
  const processFailed = exit.signal !== null || (exit.exit_code !== null && exit.exit_code !== 0);
  if (!processFailed && !evidence.failure) return null;
  return {
    ...base(2, evidence.failure ? 'engine' : 'process'),
    state: 'interrupted',
    reason_code: exit.signal ? 'SIGNALED' : failureReason(evidence, processFailed),
    evidence: [...(evidence.failure ? [evidence.failure] : []), ...evidence.errors.map(shown), exitEvidence(facts)],
    diagnostics: conflict(facts),
  };
}

function failureReason(evidence: EndEvidence, processFailed: boolean): string {
  // The program that our own agent runs in has stopped it.
  if (evidence.failure?.detail === 'run_cancelled' && !processFailed) return 'CANCELED';
  return reasonOf(evidence) ?? (processFailed ? 'EXIT_NONZERO' : 'ENGINE_ERROR');
}

/** Also rule 2: an engine that exits with 0 without a terminal signal or a marker. */
function endedWithoutSignal(facts: CompletionFacts): Completion | null {
  const { evidence, terminalBy, watched = false } = facts;
  const hasEnded = evidence.terminal ?? evidence.waiting;
  if (terminalBy !== 'engine' || !endedWell(facts) || hasEnded || evidence.markers.length > 0) return null;
  if (watched) return { ...base(2, 'tacho'), state: 'interrupted', reason_code: 'WATCH_ENDED' };
  return {
    ...base(2, 'process'),
    state: 'interrupted',
    reason_code: reasonOf(evidence) ?? 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT',
    diagnostics: ['ENGINE_ENDED_WITHOUT_TERMINAL_EVENT'],
    evidence: [...evidence.errors.map(shown), exitEvidence(facts)],
  };
}

/** Rule 3: the assistant printed the done marker. */
function marked(facts: CompletionFacts): Completion | null {
  const { markers, terminal } = facts.evidence;
  const [first] = markers;
  if (!first || !endedWell(facts)) return null;
  return {
    ...base(3, 'marker'),
    state: 'completed',
    reason_code: 'DONE_MARKER',
    confidence: terminal ? 1 : 0.8,
    evidence: [shown(first), ...(terminal ? [terminal] : [])],
  };
}

/** A result that violates the contract of the skill is not done, whatever the assistant says. */
function checked(completion: Completion, { violations = [] }: CompletionFacts): Completion {
  if (completion.state !== 'completed' || violations.length === 0) return completion;
  const shownViolations = violations.slice(0, MAX_SHOWN_VIOLATIONS).map(({ path, message }) => ({
    kind: 'violation',
    detail: path === '' ? message : `${path} ${message}`,
    raw_ref: null,
  }));
  return {
    ...completion,
    state: 'interrupted',
    reason_code: 'OUTPUT_INVALID',
    diagnostics: ['OUTPUT_INVALID', ...completion.diagnostics],
    evidence: [...completion.evidence, ...shownViolations],
  };
}

/** Rule 4 for any command: exit 0 is its terminal signal. */
function exitZero(facts: CompletionFacts): Completion | null {
  const { exit, terminalBy } = facts;
  if (terminalBy !== 'process' || exit.exit_code !== 0) return null;
  return decide(facts, exitEvidence(facts), 'EXIT_ZERO', 'process');
}

/** Rule 4: the engine itself says that an answer or a decision is missing, in whatever mode. */
function waitingSignal(facts: CompletionFacts): Completion | null {
  const { waiting } = facts.evidence;
  return waiting && endedWell(facts) ? waits(4, facts.evidence, waiting) : null;
}

function waits(rule: number, { question, openApprovals }: EndEvidence, sign: Evidence): Completion {
  return {
    ...base(rule, 'engine'),
    state: 'awaiting_user_input',
    // The approval may have been asked for in an earlier attempt.
    reason_code:
      question === null && (openApprovals.size > 0 || sign.detail === 'run_waiting.approval')
        ? 'APPROVAL_PENDING'
        : 'WAITING_FOR_USER',
    needs_user_input: true,
    evidence: [sign],
  };
}

/** Rule 4: the engine's terminal signal, without a marker. */
function terminalSignal(facts: CompletionFacts): Completion | null {
  const { terminal } = facts.evidence;
  if (!terminal || !endedWell(facts)) return null;
  return decide(facts, terminal, 'TERMINAL_SIGNAL', 'engine');
}

/** In interactive mode a user answers; in auto mode an attempt must not wait for an answer. */
function decide(
  { mode, markerRequired }: CompletionFacts,
  signal: Evidence,
  done: string,
  source: Completion['source'],
): Completion {
  if (mode === 'interactive' && source === 'engine') {
    return {
      ...base(4, source),
      state: 'awaiting_user_input',
      reason_code: 'WAITING_FOR_USER',
      needs_user_input: true,
      evidence: [signal],
    };
  }
  const state: CompletionState = markerRequired ? 'interrupted' : 'completed';
  return {
    ...base(4, source),
    state,
    reason_code: markerRequired ? 'DONE_MARKER_MISSING' : done,
    diagnostics: markerRequired ? ['DONE_MARKER_MISSING'] : [],
    evidence: [signal],
  };
}

/** Where no rule decides, the word of another recorder counts. */
function takenOver({ claimed }: CompletionFacts): Completion | null {
  if (!claimed || claimed.state === 'unknown') return null;
  return {
    ...base(5, 'imported'),
    state: claimed.state,
    reason_code: claimed.reason_code,
    confidence: 0.5,
    needs_user_input: claimed.state === 'awaiting_user_input',
    evidence: [claimOf(claimed)],
  };
}

function claimOf({ state, reason_code }: ClaimedCompletion): Evidence {
  return { kind: 'recorded elsewhere', detail: `${state} ${reason_code}`, raw_ref: null };
}

/** A question that can no longer be answered is the same end as a question. */
function contradicts({ state }: ClaimedCompletion, completion: Completion): boolean {
  const own = completion.reason_code === 'QUESTION_UNANSWERED' ? 'awaiting_user_input' : completion.state;
  return state !== 'unknown' && state !== own;
}

/** A question in an imported log does not wait for an answer. */
function unanswered(completion: Completion): Completion {
  if (completion.state !== 'awaiting_user_input') return completion;
  return { ...completion, state: 'interrupted', reason_code: 'QUESTION_UNANSWERED', needs_user_input: false };
}

/** Adds other evidence that did not decide, with its bytes. */
function withSigns(completion: Completion, { evidence, claimed = null }: CompletionFacts): Completion {
  const { doneSignal, undecidedSignal, invalidSignal, failure, markers, terminal } = evidence;
  const signs: DiagnosticCode[] = [];
  if (undecidedSignal && completion.rule !== 1) signs.push('DONE_SIGNAL_UNDECIDED');
  if (invalidSignal && completion.rule !== 1) signs.push('DONE_SIGNAL_INVALID');
  if (markers[0]?.legacy) signs.push('LEGACY_DONE_MARKER');
  if (markers.length > 1) signs.push('MULTIPLE_DONE_MARKERS');
  const contradiction = claimed && contradicts(claimed, completion) ? claimOf(claimed) : null;
  if (contradiction) signs.push('COMPLETION_DIFFERS');
  const decided = new Set(completion.evidence.map((piece) => JSON.stringify(piece)));
  // Two markers are enough to show that there are several.
  const seen = [doneSignal, undecidedSignal, invalidSignal, failure, ...markers.slice(0, 2), terminal, contradiction]
    .filter((piece) => piece !== null)
    .map(shown)
    .filter((piece) => !decided.has(JSON.stringify(piece)));
  return {
    ...completion,
    diagnostics: [...completion.diagnostics, ...signs],
    evidence: [...completion.evidence, ...seen],
  };
}

/** Nothing about the process contradicts what the engine says. */
function endedWell(facts: CompletionFacts): boolean {
  return facts.exit.exit_code === 0 || isUnknown(facts);
}

function isUnknown({ exit, exitUnknown = false }: CompletionFacts): boolean {
  return exitUnknown && exit.exit_code === null && exit.signal === null;
}

function exitEvidence(facts: CompletionFacts): Evidence {
  return { kind: 'exit', detail: isUnknown(facts) ? 'exit not known' : describeExit(facts.exit), raw_ref: null };
}

function conflict({ evidence: { markers } }: CompletionFacts): DiagnosticCode[] {
  return markers.length > 0 ? ['DONE_MARKER_FAILURE_CONFLICT'] : [];
}

/** The most specific of the engine's errors: named causes before generic ones, later before earlier. */
function reasonOf({ errors, failure }: EndEvidence): string | null {
  const codes = errors.map(({ code }) => code);
  const telling = codes.findLast((code) => code !== 'ENGINE_ERROR');
  return telling ?? codes.at(-1) ?? (failure ? 'ENGINE_ERROR' : null);
}

function shown({ kind, detail, raw_ref }: Evidence): Completion['evidence'][number] {
  return { kind, detail, raw_ref };
}

function base(rule: number, source: Completion['source']) {
  return {
    rule,
    source,
    confidence: 1,
    needs_user_input: false,
    diagnostics: [] as string[],
    evidence: [] as Completion['evidence'],
  };
}

function describeExit({ exit_code, signal }: CompletionFacts['exit']): string {
  if (signal) return `killed by ${signal}`;
  return exit_code === null ? 'never started' : `exit code ${exit_code}`;
}
