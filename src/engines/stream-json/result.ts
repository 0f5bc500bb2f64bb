import type { Usage } from '../../protocol/index.ts';
import { classifyStatus } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, type JsonObject, listOf, numberOf, taken, textOf } from '../json-value.ts';
import type { Misread } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import type { Calls } from './calls.ts';
import type { StreamJsonDialect } from './dialect.ts';
import type { HeldFailure } from './failure.ts';
import { drifted } from './misread.ts';
import type { Texts } from './texts.ts';
import { addUsage, usageOf } from './usage.ts';

interface Parts {
  draft: Drafter;
  dialect: StreamJsonDialect;
  texts: Texts;
  calls: Calls;
  failure: HeldFailure;
}

/** The end of a turn. Work in the background can wake the engine again: then another turn and another result follow. */
export function createResultReader({ draft, dialect, texts, calls, failure }: Parts) {
  let before: Usage | null = null;

  return (event: JsonObject, unit: Unit): Misread | null => {
    const { is_error: isError, subtype } = event;
    if (isError !== undefined && typeof isError !== 'boolean') return drifted('result');
    const failed = isError === true || /^error/.test(textOf(subtype) ?? '');
    if (failed && dialect.subagentResults && event.duration_ms === 0 && calls.agentAtWork()) {
      tellError(event, unit, { subagent: true });
      draft.phase('agent.result.error', unit);
      return null;
    }
    failure.drop();
    const usage = reportedUsage(event);
    tellDenials(event, unit);
    if (failed) tellError(event, unit);
    else sayResult(event, unit);
    draft.phase(failed ? 'result.error' : 'result', unit, usage ?? {});
    return usage === null && event.usage !== undefined ? drifted('result usage') : null;
  };

  /** The subtype of a failed request is still `success`; what went wrong stands in one of three places. */
  function tellError(event: JsonObject, unit: Unit, facts: Record<string, unknown> = {}): void {
    const errors = listOf(event.errors).filter((error) => typeof error === 'string');
    const message =
      errors.join('\n') ||
      textOf(fieldOf(event, 'error', 'message')) ||
      textOf(event.result) ||
      textOf(event.subtype) ||
      'the engine failed';
    const status = integerOf(event.api_error_status);
    draft.error(classifyStatus(status, message), message, unit, {
      ...(status === null ? {} : { error_status: status }),
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

  /** The cost is always that of the whole session. */
  function reportedUsage(event: JsonObject): { usage?: Usage; session_usage?: Usage } | null {
    const turn = usageOf(event.usage);
    if (turn === null) return null;
    const cost = numberOf(event.total_cost_usd);
    const ofSession = cost === null ? {} : { cost_usd: cost };
    if (!dialect.usageOfTurn) return { session_usage: { ...turn, ...ofSession } };
    before = addUsage(before, turn);
    return { usage: before, ...(cost === null ? {} : { session_usage: ofSession }) };
  }
}
