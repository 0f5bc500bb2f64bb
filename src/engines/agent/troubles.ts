import { DIAGNOSTIC_CODES, type DiagnosticCode } from '../../protocol/index.ts';
import { describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, numberOf, taken, textOf } from '../json-value.ts';
import type { Unit } from '../unit.ts';
import type { LoggedRun } from './runs.ts';

/** Why a run of an agent failed, where the reason says it all. */
const REASONS: Readonly<Record<string, DiagnosticCode>> = {
  budget_exhausted: 'AGENT_BUDGET_EXHAUSTED',
  repeated_denial: 'AGENT_STUCK',
  no_progress: 'AGENT_STUCK',
  // An approval was needed, and there was no one to ask.
  config_error: 'ENGINE_PERMISSION_REJECTED',
  aborted: 'AGENT_ABORTED',
};

const NOTICES: Readonly<Record<string, DiagnosticCode>> = {
  history_trimmed: 'AGENT_HISTORY_SHORTENED',
  history_compacted: 'AGENT_HISTORY_SHORTENED',
  guard_tripped: 'AGENT_STUCK',
  budget_exhausted: 'AGENT_BUDGET_EXHAUSTED',
  output_rejected: 'AGENT_OUTPUT_REJECTED',
  hook_decided: 'AGENT_HOOK_DECIDED',
};

export interface TroubleReader {
  /** A request to the model failed. */
  request(data: JsonObject, run: LoggedRun, unit: Unit): boolean;
  /** Something a person should know, which does not end the run by itself. */
  notice(type: string, data: JsonObject, run: LoggedRun, unit: Unit): void;
  /** The run failed. */
  end(data: JsonObject, run: LoggedRun, unit: Unit): boolean;
}

export function createTroubleReader(draft: Drafter): TroubleReader {
  function tell(
    code: DiagnosticCode,
    severity: 'info' | 'warning' | 'error',
    { message = DIAGNOSTIC_CODES[code], ...facts }: { message?: string; [fact: string]: unknown },
    run: LoggedRun,
    unit: Unit,
  ): void {
    draft.event('diagnostic.engine.error', { code, message, severity, ...facts }, unit, run.about());
  }

  return {
    request(data, run, unit) {
      const { error, retry } = data;
      const text = textOf(fieldOf(error, 'message'));
      if (!isObject(error) || text === null) return false;
      const kind = textOf(error.kind);
      const { code, message, facts } = describeError(text, {
        status: integerOf(error.status),
        kinds: [kind === 'timeout' ? 'network' : kind],
      });
      const told = { message, ...facts, attempt: integerOf(data.try) ?? run.tries };
      if (isObject(retry)) {
        const delay = numberOf(retry.delay_ms);
        tell('ENGINE_RETRY', 'warning', { ...told, ...(delay === null ? {} : { retry_delay_ms: delay }) }, run, unit);
      } else {
        // A conversation that is too long is shortened first; a failure of a child is not one of the run.
        const isFinal = facts.error_class !== 'context' && run.isSession;
        tell(code, isFinal ? 'error' : 'warning', told, run, unit);
      }
      return true;
    },
    notice(type, data, run, unit) {
      const { exact: _, usage: __, cost_usd: ___, ...facts } = data;
      const code = NOTICES[type]!;
      const severity = code === 'AGENT_HISTORY_SHORTENED' ? 'info' : 'warning';
      const told = taken({ ...facts, event: type });
      tell(code, severity, isObject(told) ? told : {}, run, unit);
    },
    end(data, run, unit) {
      const reason = textOf(data.reason);
      const text = textOf(data.message) ?? 'the agent failed';
      const known = reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason]! : null;
      const { code, message, facts } = describeError(text, {
        kinds: [reason === 'context_overflow' ? reason : null],
      });
      const told = { message: known ? text : message, ...(known ? {} : facts), ...(reason === null ? {} : { reason }) };
      tell(known ?? code, run.isSession ? 'error' : 'warning', told, run, unit);
      return reason !== null;
    },
  };
}
