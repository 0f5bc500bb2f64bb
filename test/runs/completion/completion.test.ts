import { describe, expect, test } from 'vitest';
import { type Completion, completionSchema, type RawRef, TachoError } from '../../../src/protocol/index.ts';
import { analyzeCompletion, type CompletionFacts } from '../../../src/runs/completion/completion.ts';
import { type EndEvidence, EndObserver } from '../../../src/runs/completion/end-evidence.ts';

const at = (byte_from: number): RawRef => ({ attempt_number: 1, stream: 'stdout', byte_from, byte_to: byte_from + 9 });

const MARKER = { kind: 'marker', detail: '"__SKILL_DONE__": true', raw_ref: at(10) };
const SECOND_MARKER = { ...MARKER, raw_ref: at(20) };
const OLD_MARKER = { ...MARKER, detail: '"__skill_done__": true' };
const TERMINAL = { kind: 'terminal', detail: 'turn.completed', raw_ref: at(30) };
const FAILURE = { kind: 'failure', detail: 'turn.failed', raw_ref: at(40) };
const AUTH = { kind: 'error', detail: '401 Unauthorized', raw_ref: at(50) };
const LIMIT = { kind: 'error', detail: '429 Too Many Requests', raw_ref: at(60) };
const PLAIN = { kind: 'error', detail: 'it broke', raw_ref: at(70) };
const REJECTED = { kind: 'error', detail: 'permission requested: bash', raw_ref: at(80) };
const SIGNAL = { kind: 'done_signal', detail: 'AGENT_ENV_DONE {…}', raw_ref: at(90) };
const BAD_SIGNAL = { kind: 'done_signal', detail: 'AGENT_ENV_DONE {"version":"2"}', raw_ref: at(100) };
const UNDECIDED = { kind: 'done_signal', detail: 'AGENT_ENV_DONE {"version":"1","state":"unknown"}', raw_ref: at(110) };
const RETRY = { kind: 'retry', detail: 'authentication_failed', raw_ref: at(120) };
const exited = (code: number) => ({ kind: 'exit', detail: `exit code ${code}`, raw_ref: null });

const marked = { markers: [{ ...MARKER, legacy: false }] };
const says = (signal: Omit<NonNullable<EndEvidence['doneSignal']>['signal'], 'version'>) => ({
  doneSignal: { ...SIGNAL, signal: { version: '1' as const, ...signal } },
});
const OK = { exit_code: 0, signal: null };
const WRONG = { exit_code: 1, signal: null };
const KILLED = { exit_code: null, signal: 'SIGTERM' };

type Facts = Partial<Omit<CompletionFacts, 'evidence'>> & { evidence?: Partial<EndEvidence> };

/** An engine's attempt in auto mode that exited with 0 and printed nothing, except for the given facts. */
function analyze({ evidence = {}, ...facts }: Facts): Completion {
  const nothing = new EndObserver({ signals: { started: [], terminal: [], failed: [] } }).evidence;
  return analyzeCompletion({
    exit: OK,
    endedByUs: null,
    terminalBy: 'engine',
    mode: 'auto',
    markerRequired: false,
    evidence: { ...nothing, ...evidence },
    ...facts,
  });
}

const TABLE: [title: string, facts: Facts, completion: Partial<Completion>][] = [
  // Rule 0: ended by tacho, or never started.
  [
    'a timed-out attempt is interrupted although it printed the marker and exited with 0',
    { exit: KILLED, endedByUs: 'hard_timeout', evidence: { ...marked, terminal: TERMINAL } },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'HARD_TIMEOUT',
      evidence: [{ kind: 'hard_timeout', detail: 'killed by SIGTERM', raw_ref: null }, MARKER, TERMINAL],
    },
  ],
  [
    'a canceled attempt is interrupted although it gave a done signal and exited with 0',
    { endedByUs: 'canceled', evidence: says({ state: 'completed' }) },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'CANCELED',
      evidence: [{ kind: 'canceled', detail: 'exit code 0', raw_ref: null }, SIGNAL],
    },
  ],
  [
    'an engine without progress has its own reason, with the errors it reported',
    { exit: KILLED, endedByUs: 'no_progress', evidence: { errors: [{ ...LIMIT, code: 'ENGINE_RATE_LIMITED' }] } },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'ENGINE_NO_PROGRESS',
      diagnostics: ['ENGINE_NO_PROGRESS'],
      evidence: [{ kind: 'no_progress', detail: 'killed by SIGTERM', raw_ref: null }, LIMIT],
    },
  ],
  [
    'an engine whose sign-in is rejected is interrupted for that reason, with its last retry',
    { exit: KILLED, endedByUs: 'auth_rejected', evidence: { retry: RETRY } },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'ENGINE_AUTH_REQUIRED',
      diagnostics: ['ENGINE_AUTH_REQUIRED'],
      evidence: [{ kind: 'auth_rejected', detail: 'killed by SIGTERM', raw_ref: null }, RETRY],
    },
  ],
  [
    'a timed-out attempt tells what the engine was retrying',
    { exit: KILLED, endedByUs: 'hard_timeout', evidence: { retry: RETRY } },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'HARD_TIMEOUT',
      evidence: [{ kind: 'hard_timeout', detail: 'killed by SIGTERM', raw_ref: null }, RETRY],
    },
  ],
  [
    'a command without progress has another reason than an engine',
    { exit: KILLED, endedByUs: 'no_progress', terminalBy: 'process' },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'NO_PROGRESS',
      evidence: [{ kind: 'no_progress', detail: 'killed by SIGTERM', raw_ref: null }],
    },
  ],
  [
    'an attempt over its budget is interrupted',
    { exit: KILLED, endedByUs: 'budget' },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'BUDGET_EXCEEDED',
      evidence: [{ kind: 'budget', detail: 'killed by SIGTERM', raw_ref: null }],
    },
  ],
  [
    'an attempt that printed too much is interrupted',
    { exit: KILLED, endedByUs: 'output_cap' },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'OUTPUT_CAP',
      evidence: [{ kind: 'output_cap', detail: 'killed by SIGTERM', raw_ref: null }],
    },
  ],
  [
    'an attempt whose recorder died is interrupted whatever else is known',
    { exit: { exit_code: null, signal: null }, supervisorLost: true, endedByUs: 'canceled', evidence: marked },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'SUPERVISOR_LOST',
      diagnostics: ['SUPERVISOR_LOST'],
      evidence: [
        { kind: 'supervisor', detail: 'the recording process ended before the attempt did', raw_ref: null },
        MARKER,
      ],
    },
  ],
  [
    'a program that could not be started is interrupted, with that reason',
    {
      exit: { exit_code: null, signal: null },
      notStarted: new TachoError('ISOLATION_BROKEN', 'HOME would be outside'),
      endedByUs: 'recording_failed',
    },
    {
      rule: 0,
      source: 'tacho',
      state: 'interrupted',
      reason_code: 'ISOLATION_BROKEN',
      evidence: [{ kind: 'error', detail: 'HOME would be outside', raw_ref: null }],
    },
  ],

  // Rule 1: a done signal.
  [
    'a done signal decides the state although the process failed and the engine reported it',
    { exit: WRONG, evidence: { ...says({ state: 'completed' }), failure: FAILURE } },
    { rule: 1, source: 'done_signal', state: 'completed', reason_code: 'DONE_SIGNAL', evidence: [SIGNAL, FAILURE] },
  ],
  [
    'a done signal names its own reason',
    { evidence: says({ state: 'interrupted', reason_code: 'TESTS_RED', result_kind: 'json_object' }) },
    { rule: 1, source: 'done_signal', state: 'interrupted', reason_code: 'TESTS_RED', evidence: [SIGNAL] },
  ],
  [
    'a done signal that awaits input needs a user without saying so',
    { evidence: says({ state: 'awaiting_user_input' }) },
    {
      rule: 1,
      source: 'done_signal',
      state: 'awaiting_user_input',
      reason_code: 'DONE_SIGNAL',
      needs_user_input: true,
      evidence: [SIGNAL],
    },
  ],
  [
    'a done signal may say whether it needs a user',
    { evidence: says({ state: 'awaiting_user_input', needs_user_input: false }) },
    {
      rule: 1,
      source: 'done_signal',
      state: 'awaiting_user_input',
      reason_code: 'DONE_SIGNAL',
      needs_user_input: false,
      evidence: [SIGNAL],
    },
  ],
  [
    'a done signal takes precedence over the marker',
    { evidence: { ...says({ state: 'interrupted' }), ...marked, terminal: TERMINAL } },
    {
      rule: 1,
      source: 'done_signal',
      state: 'interrupted',
      reason_code: 'DONE_SIGNAL',
      evidence: [SIGNAL, MARKER, TERMINAL],
    },
  ],
  [
    'a valid done signal counts although another one was invalid',
    { evidence: { ...says({ state: 'completed' }), invalidSignal: BAD_SIGNAL } },
    { rule: 1, source: 'done_signal', state: 'completed', reason_code: 'DONE_SIGNAL', evidence: [SIGNAL, BAD_SIGNAL] },
  ],
  [
    'a done signal of an unknown state is reported, and the marker decides',
    { evidence: { undecidedSignal: UNDECIDED, ...marked, terminal: TERMINAL } },
    {
      rule: 3,
      source: 'marker',
      state: 'completed',
      reason_code: 'DONE_MARKER',
      diagnostics: ['DONE_SIGNAL_UNDECIDED'],
      evidence: [MARKER, TERMINAL, UNDECIDED],
    },
  ],
  [
    'a done signal of an unknown state is reported, and the exit of a command decides',
    { terminalBy: 'process', exit: WRONG, evidence: { undecidedSignal: UNDECIDED } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'EXIT_NONZERO',
      diagnostics: ['DONE_SIGNAL_UNDECIDED'],
      evidence: [exited(1), UNDECIDED],
    },
  ],
  [
    'a done signal that names a state counts although another one did not',
    { evidence: { ...says({ state: 'completed' }), undecidedSignal: UNDECIDED } },
    { rule: 1, source: 'done_signal', state: 'completed', reason_code: 'DONE_SIGNAL', evidence: [SIGNAL, UNDECIDED] },
  ],
  [
    'an invalid done signal is reported, and a failure decides',
    { exit: WRONG, evidence: { invalidSignal: BAD_SIGNAL } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'EXIT_NONZERO',
      diagnostics: ['DONE_SIGNAL_INVALID'],
      evidence: [exited(1), BAD_SIGNAL],
    },
  ],
  [
    'an invalid done signal is reported, and the marker decides',
    { evidence: { invalidSignal: BAD_SIGNAL, ...marked, terminal: TERMINAL } },
    {
      rule: 3,
      source: 'marker',
      state: 'completed',
      reason_code: 'DONE_MARKER',
      diagnostics: ['DONE_SIGNAL_INVALID'],
      evidence: [MARKER, TERMINAL, BAD_SIGNAL],
    },
  ],
  [
    'an invalid done signal is reported, and the exit of a command decides',
    { terminalBy: 'process', evidence: { invalidSignal: BAD_SIGNAL } },
    {
      rule: 4,
      source: 'process',
      state: 'completed',
      reason_code: 'EXIT_ZERO',
      diagnostics: ['DONE_SIGNAL_INVALID'],
      evidence: [exited(0), BAD_SIGNAL],
    },
  ],

  // Rule 2: failure.
  [
    'a process killed by a signal is interrupted, whatever errors the engine reported before',
    { exit: KILLED, evidence: { errors: [{ ...AUTH, code: 'ENGINE_AUTH_REQUIRED' }] } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'SIGNALED',
      evidence: [AUTH, { kind: 'exit', detail: 'killed by SIGTERM', raw_ref: null }],
    },
  ],
  [
    'a process that exits with a code other than 0 is interrupted although its turn was over',
    { exit: WRONG, evidence: { terminal: TERMINAL } },
    { rule: 2, source: 'process', state: 'interrupted', reason_code: 'EXIT_NONZERO', evidence: [exited(1), TERMINAL] },
  ],
  [
    'an engine that reports a failure is interrupted although it exits with 0',
    { evidence: { failure: FAILURE } },
    { rule: 2, source: 'engine', state: 'interrupted', reason_code: 'ENGINE_ERROR', evidence: [FAILURE, exited(0)] },
  ],
  [
    'a failure counts although the engine also said that its turn was over',
    { evidence: { failure: FAILURE, terminal: TERMINAL } },
    {
      rule: 2,
      source: 'engine',
      state: 'interrupted',
      reason_code: 'ENGINE_ERROR',
      evidence: [FAILURE, exited(0), TERMINAL],
    },
  ],
  [
    'a marker with exit 1 is a conflict, and the failure counts',
    { exit: WRONG, evidence: { ...marked, terminal: TERMINAL } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'EXIT_NONZERO',
      diagnostics: ['DONE_MARKER_FAILURE_CONFLICT'],
      evidence: [exited(1), MARKER, TERMINAL],
    },
  ],
  [
    'a marker with a failure reported by the engine is a conflict as well',
    { evidence: { ...marked, failure: FAILURE, errors: [{ ...PLAIN, code: 'ENGINE_ERROR' }] } },
    {
      rule: 2,
      source: 'engine',
      state: 'interrupted',
      reason_code: 'ENGINE_ERROR',
      diagnostics: ['DONE_MARKER_FAILURE_CONFLICT'],
      evidence: [FAILURE, PLAIN, exited(0), MARKER],
    },
  ],
  [
    'an error that names its cause is the reason, before a later one that does not',
    {
      exit: WRONG,
      evidence: {
        failure: FAILURE,
        errors: [
          { ...AUTH, code: 'ENGINE_AUTH_REQUIRED' },
          { ...PLAIN, code: 'ENGINE_ERROR' },
        ],
      },
    },
    {
      rule: 2,
      source: 'engine',
      state: 'interrupted',
      reason_code: 'ENGINE_AUTH_REQUIRED',
      evidence: [FAILURE, AUTH, PLAIN, exited(1)],
    },
  ],
  [
    'of two errors that name their cause the later one is the reason',
    {
      exit: WRONG,
      evidence: {
        errors: [
          { ...AUTH, code: 'ENGINE_AUTH_REQUIRED' },
          { ...LIMIT, code: 'ENGINE_RATE_LIMITED' },
        ],
      },
    },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'ENGINE_RATE_LIMITED',
      evidence: [AUTH, LIMIT, exited(1)],
    },
  ],
  [
    'an engine that exits with 0 and never said that its turn was over is interrupted (gemini on SIGTERM)',
    {},
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT',
      diagnostics: ['ENGINE_ENDED_WITHOUT_TERMINAL_EVENT'],
      evidence: [exited(0)],
    },
  ],
  [
    'an engine that never said that its turn was over is interrupted in interactive mode too',
    { mode: 'interactive', evidence: { lastMessage: 'Which colour?' } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT',
      diagnostics: ['ENGINE_ENDED_WITHOUT_TERMINAL_EVENT'],
      evidence: [exited(0)],
    },
  ],
  [
    'a reported error is the reason for an end without a terminal event (opencode after a rejected permission)',
    { evidence: { errors: [{ ...REJECTED, code: 'ENGINE_PERMISSION_REJECTED' }] } },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'ENGINE_PERMISSION_REJECTED',
      diagnostics: ['ENGINE_ENDED_WITHOUT_TERMINAL_EVENT'],
      evidence: [REJECTED, exited(0)],
    },
  ],

  // Rule 3: the marker.
  [
    'the marker completes',
    { evidence: { ...marked, terminal: TERMINAL } },
    { rule: 3, source: 'marker', state: 'completed', reason_code: 'DONE_MARKER', evidence: [MARKER, TERMINAL] },
  ],
  [
    'the marker completes in interactive mode as well, without waiting for the user',
    { mode: 'interactive', evidence: { ...marked, terminal: TERMINAL } },
    { rule: 3, source: 'marker', state: 'completed', reason_code: 'DONE_MARKER', evidence: [MARKER, TERMINAL] },
  ],
  [
    'the marker completes without the engine’s terminal event, with lower confidence',
    { evidence: marked },
    {
      rule: 3,
      source: 'marker',
      state: 'completed',
      reason_code: 'DONE_MARKER',
      confidence: 0.8,
      evidence: [MARKER],
    },
  ],
  [
    'an earlier error does not override the marker',
    { evidence: { ...marked, terminal: TERMINAL, errors: [{ ...LIMIT, code: 'ENGINE_RATE_LIMITED' }] } },
    { rule: 3, source: 'marker', state: 'completed', reason_code: 'DONE_MARKER', evidence: [MARKER, TERMINAL] },
  ],
  [
    'the marker in lower case counts, and is reported',
    { evidence: { markers: [{ ...OLD_MARKER, legacy: true }], terminal: TERMINAL } },
    {
      rule: 3,
      source: 'marker',
      state: 'completed',
      reason_code: 'DONE_MARKER',
      diagnostics: ['LEGACY_DONE_MARKER'],
      evidence: [OLD_MARKER, TERMINAL],
    },
  ],
  [
    'of several markers the first one counts, and their number is reported',
    {
      evidence: {
        markers: [
          { ...MARKER, legacy: false },
          { ...SECOND_MARKER, legacy: true },
        ],
        terminal: TERMINAL,
      },
    },
    {
      rule: 3,
      source: 'marker',
      state: 'completed',
      reason_code: 'DONE_MARKER',
      diagnostics: ['MULTIPLE_DONE_MARKERS'],
      evidence: [MARKER, TERMINAL, SECOND_MARKER],
    },
  ],
  [
    'every anomaly of the marker is reported, also if a failure decides',
    {
      exit: WRONG,
      evidence: {
        invalidSignal: BAD_SIGNAL,
        markers: [
          { ...OLD_MARKER, legacy: true },
          { ...SECOND_MARKER, legacy: false },
        ],
      },
    },
    {
      rule: 2,
      source: 'process',
      state: 'interrupted',
      reason_code: 'EXIT_NONZERO',
      diagnostics: [
        'DONE_MARKER_FAILURE_CONFLICT',
        'DONE_SIGNAL_INVALID',
        'LEGACY_DONE_MARKER',
        'MULTIPLE_DONE_MARKERS',
      ],
      evidence: [exited(1), BAD_SIGNAL, OLD_MARKER, SECOND_MARKER],
    },
  ],

  // Rule 4: the turn is over, without a marker.
  [
    'a turn that is over completes in auto mode',
    { evidence: { terminal: TERMINAL } },
    { rule: 4, source: 'engine', state: 'completed', reason_code: 'TERMINAL_SIGNAL', evidence: [TERMINAL] },
  ],
  [
    'a turn that is over completes in auto mode although there was an earlier error',
    { evidence: { terminal: TERMINAL, errors: [{ ...LIMIT, code: 'ENGINE_RATE_LIMITED' }] } },
    { rule: 4, source: 'engine', state: 'completed', reason_code: 'TERMINAL_SIGNAL', evidence: [TERMINAL] },
  ],
  [
    'a turn that is over waits for the user in interactive mode',
    { mode: 'interactive', evidence: { terminal: TERMINAL } },
    {
      rule: 4,
      source: 'engine',
      state: 'awaiting_user_input',
      reason_code: 'WAITING_FOR_USER',
      needs_user_input: true,
      evidence: [TERMINAL],
    },
  ],
  [
    'a turn that is over waits for the user in interactive mode although a marker was required',
    { mode: 'interactive', markerRequired: true, evidence: { terminal: TERMINAL } },
    {
      rule: 4,
      source: 'engine',
      state: 'awaiting_user_input',
      reason_code: 'WAITING_FOR_USER',
      needs_user_input: true,
      evidence: [TERMINAL],
    },
  ],
  [
    'a turn that is over without a required marker is interrupted in auto mode',
    { markerRequired: true, evidence: { terminal: TERMINAL } },
    {
      rule: 4,
      source: 'engine',
      state: 'interrupted',
      reason_code: 'DONE_MARKER_MISSING',
      diagnostics: ['DONE_MARKER_MISSING'],
      evidence: [TERMINAL],
    },
  ],
  [
    'exit 0 completes any command',
    { terminalBy: 'process' },
    { rule: 4, source: 'process', state: 'completed', reason_code: 'EXIT_ZERO', evidence: [exited(0)] },
  ],
  [
    'a command never waits for a user, because it has no session to continue',
    { terminalBy: 'process', mode: 'interactive' },
    { rule: 4, source: 'process', state: 'completed', reason_code: 'EXIT_ZERO', evidence: [exited(0)] },
  ],
  [
    'a command without a required marker is interrupted',
    { terminalBy: 'process', markerRequired: true },
    {
      rule: 4,
      source: 'process',
      state: 'interrupted',
      reason_code: 'DONE_MARKER_MISSING',
      diagnostics: ['DONE_MARKER_MISSING'],
      evidence: [exited(0)],
    },
  ],

  // Rule 5: no evidence.
  [
    'an end without evidence is unknown, with the observed facts',
    {
      exit: { exit_code: null, signal: null },
      evidence: { ...marked, terminal: TERMINAL, errors: [{ ...PLAIN, code: 'ENGINE_ERROR' }] },
    },
    {
      rule: 5,
      source: 'none',
      state: 'unknown',
      reason_code: 'INCOMPLETE_STATE_CLASSIFICATION',
      confidence: 0.2,
      diagnostics: ['INCOMPLETE_STATE_CLASSIFICATION'],
      evidence: [PLAIN, MARKER, TERMINAL],
    },
  ],
];

describe('analyzeCompletion', () => {
  test.each(TABLE)('%s', (_title, facts, expected) => {
    const completion = analyze(facts);
    expect(completion).toEqual({ confidence: 1, needs_user_input: false, diagnostics: [], ...expected });
    expect(completionSchema.parse(completion)).toEqual(completion);
  });

  test.each([
    ['hard_timeout', 'HARD_TIMEOUT'],
    ['auth_rejected', 'ENGINE_AUTH_REQUIRED'],
    ['canceled', 'CANCELED'],
    ['budget', 'BUDGET_EXCEEDED'],
    ['output_cap', 'OUTPUT_CAP'],
    ['disk_full', 'DISK_FULL'],
    ['recording_failed', 'RECORDING_FAILED'],
  ] as const)('what tacho ended for %s is interrupted as %s before any other rule is asked', (endedByUs, reason) => {
    for (const exit of [OK, WRONG, KILLED]) {
      for (const evidence of [{}, marked, says({ state: 'completed' }), { failure: FAILURE }, { terminal: TERMINAL }]) {
        expect(analyze({ exit, endedByUs, evidence })).toMatchObject({
          rule: 0,
          state: 'interrupted',
          reason_code: reason,
        });
      }
    }
  });
});
