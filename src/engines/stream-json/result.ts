import { totalTokens, type Usage } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, type JsonObject, listOf, numberOf, taken, textOf } from '../json-value.ts';
import type { Misread } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import type { Calls } from './calls.ts';
import type { StreamJsonDialect } from './dialect.ts';
import { describeFailure, type Failure, type HeldFailure } from './failure.ts';
import { drifted } from './misread.ts';
import type { Texts } from './texts.ts';
import { addUsage, type CallUsage, modelUsageOf, usageOf } from './usage.ts';

interface Parts {
  draft: Drafter;
  dialect: StreamJsonDialect;
  texts: Texts;
  calls: Calls;
  failure: HeldFailure;
  usage: CallUsage;
  takeInterruption(): string | null;
}

/** What claude tells its own developers when a turn was stopped. */
const FOR_DEVELOPERS = /^\[ede_diagnostic\]/;

/** The end of a turn. Work in the background can wake the engine again: then another turn and another result follow. */
export function createResultReader({ draft, dialect, texts, calls, failure, usage, takeInterruption }: Parts) {
  let before: Usage | null = null;

  return (event: JsonObject, unit: Unit): Misread | null => {
    const { is_error: isError, subtype } = event;
    if (isError !== undefined && typeof isError !== 'boolean') return drifted('result');
    const saysSo = isError === true || /^error/.test(textOf(subtype) ?? '');
    if (saysSo && dialect.subagentResults && event.duration_ms === 0 && calls.openAgent() !== null) {
      tellError(event, unit, null, { subagent: true });
      draft.phase('agent.result.error', unit);
      return null;
    }
    openSession(event, unit);
    const held = failure.take();
    const failed = saysSo || held !== null;
    const reported = reportedUsage(event);
    tellDenials(event, unit);
    if (failed) tellError(event, unit, held);
    else sayResult(event, unit);
    takeInterruption();
    draft.phase(failed ? 'result.error' : 'result', unit, reported ?? {});
    return reported === null ? drifted('result usage') : null;
  };

  /** `--output-format json` prints nothing else. A turn that could not begin may name a session that does not exist. */
  function openSession(event: JsonObject, unit: Unit): void {
    const id = textOf(event.session_id);
    if (draft.session === null && id !== null && !/^error/.test(textOf(event.subtype) ?? '')) {
      draft.openSession(id, 'session', unit);
    }
  }

  /** The subtype of a failed request is still `success`; what went wrong stands in one of several places. */
  function tellError(event: JsonObject, unit: Unit, held: Failure | null, facts: Record<string, unknown> = {}): void {
    const errors = listOf(event.errors).filter((error) => typeof error === 'string');
    const told =
      errors.filter((error) => !FOR_DEVELOPERS.test(error)).join('\n') ||
      textOf(fieldOf(event, 'error', 'message')) ||
      takeInterruption() ||
      textOf(event.result) ||
      held?.message ||
      errors.join('\n') ||
      textOf(event.subtype) ||
      'the engine failed';
    const status = integerOf(event.api_error_status);
    const {
      code,
      message,
      facts: cause,
    } = describeFailure(told, {
      kind: held?.kind ?? null,
      cause: textOf(event.api_error),
      status,
    });
    draft.error(code, message, unit, {
      ...cause,
      ...(textOf(event.subtype) === null ? {} : { subtype: event.subtype }),
      ...(textOf(event.terminal_reason) === null ? {} : { terminal_reason: event.terminal_reason }),
      ...facts,
    });
  }

  /** It repeats the last text; only where that was not printed, or was no message, it is one. */
  function sayResult(event: JsonObject, unit: Unit): void {
    const text = textOf(event.result);
    if (text === null || text.trim() === '' || texts.wasSaid(text)) return;
    texts.whole(null, null, text, unit, {});
  }

  /** The run went on without what was refused. */
  function tellDenials(event: JsonObject, unit: Unit): void {
    const denials = listOf(event.permission_denials);
    if (denials.length === 0) return;
    const tools = [...new Set(denials.map((denial) => textOf(fieldOf(denial, 'tool_name')) ?? 'a tool'))];
    const message = `No permission for ${tools.join(', ')}.`;
    draft.error('ENGINE_PERMISSION_REJECTED', message, unit, { denials: taken(denials) });
  }

  /**
   * The turn's own usage lacks sub-agents, which newer versions add in a field of its own. Older ones only have totals of
   * the session with them, and of the cost.
   */
  function reportedUsage(event: JsonObject): { usage?: Usage; session_usage?: Usage } | null {
    const reported = usageOf(event.usage ?? {}, dialect.counting);
    if (reported === null) return null;
    const cost = numberOf(event.total_cost_usd) ?? numberOf(event.cost_usd);
    const ofSession = cost === null ? {} : { cost_usd: cost };
    if (!dialect.usageOfTurn || event.usage === undefined) {
      const session = { ...reported, ...ofSession };
      return { ...(usage.sum ? { usage: usage.sum } : {}), ...(isEmpty(session) ? {} : { session_usage: session }) };
    }
    const ofModels = modelUsageOf(event.model_usage_since_last_result);
    before = addUsage(before, { ...reported, ...ofModels });
    // The result of a turn that was stopped counts nothing; that of claude 1.0, which lists no models, the last call.
    const seen = event.modelUsage === undefined && usage.sum ? totalTokens(usage.sum) : 0;
    const own = (totalTokens(before) ?? 0) > (seen ?? 0) ? before : { ...before, ...usage.sum };
    if (ofModels.cost_usd !== undefined) return { usage: own };
    const session = { ...modelUsageOf(event.modelUsage), ...ofSession };
    return { usage: own, ...(isEmpty(session) ? {} : { session_usage: session }) };
  }
}

function isEmpty(usage: Usage): boolean {
  return Object.keys(usage).length === 0;
}
