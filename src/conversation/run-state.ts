import { hasEnded, type RaspData, type RaspEvent, type RunStatus } from '../protocol/index.ts';
import type { Emit } from './emitter.ts';
import { failureOf, type KnownErrors } from './failure.ts';

type StatusEvent = RaspEvent<'lifecycle.run.status'>;
type Diagnostic = RaspData<'diagnostic.runtime.warning'>;

export interface RunState {
  /** Null before the first. */
  readonly status: RunStatus | null;
  startAttempt(): void;
  noteEngineError(event: RaspEvent<'diagnostic.engine.error'>): void;
  noteRuntimeError(diagnostic: Diagnostic): void;
  /** True when after this status the attempt prints nothing more. */
  endsAttempt(event: StatusEvent): boolean;
  change(event: StatusEvent): void;
}

/** The state of the run in the conversation: a message per change, and one end per entry into a terminal state. */
export function createRunState(emit: Emit, current: RunStatus | null = null): RunState {
  let errors: KnownErrors = { engine: null, runtime: null };
  /** Confidence in the engine's error. */
  let certainty = 0;

  function enter(to: RunStatus, reason_code: string, event: StatusEvent): void {
    emit('conversation.state.changed', { from: current, to, reason_code }, event);
    current = to;
    if (to === 'succeeded') emit('conversation.completed', {}, event);
    else if (to === 'failed') emit('conversation.failed', { error: failureOf(reason_code, errors) }, event);
    else if (to === 'canceled') emit('conversation.canceled', { reason_code }, event);
  }

  return {
    get status() {
      return current;
    },
    startAttempt() {
      certainty = 0;
      errors = { engine: null, runtime: null };
    },
    noteEngineError({ data: { severity, message }, source: { confidence } }) {
      // Logs that were recorded apart are read one after the other: a line of plain text must not hide an engine's event.
      if (severity === 'error' && confidence >= certainty) {
        errors.engine = message;
        certainty = confidence;
      }
    },
    noteRuntimeError({ severity, message, code }) {
      if (severity === 'error') errors.runtime = { code, message };
    },
    endsAttempt(event) {
      return !isParserBorn(event) && (hasEnded(event.data) || event.data.status === 'waiting_user');
    },
    change(event) {
      const { status, reason_code, phase } = event.data;
      if (status === current) return;
      const ended = current !== null && hasEnded({ status: current });
      // Output that is read late says what the engine was doing, not that the run lives again.
      if (ended && isParserBorn(event)) return;
      if (ended && status !== 'queued') enter('queued', 'reopened', event);
      enter(status, reason_code ?? phase ?? (ended && status === 'queued' ? 'reopened' : 'STATUS'), event);
    },
  };
}

function isParserBorn(event: StatusEvent): boolean {
  return event.source.stream !== null;
}
