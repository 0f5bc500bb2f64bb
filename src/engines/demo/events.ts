import type { Usage } from '../../protocol/index.ts';
import { classifyError } from '../classify-error.ts';
import { createDeltas } from '../deltas.ts';
import { fieldOf, isObject, type JsonObject, listOf, numberOf, taken, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createToolReader } from './tools.ts';

/** The only version of the format; the first event names it. */
const FORMAT = 'tacho-demo/1';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  session: new Set(['type', 'format', 'session_id', 'script', 'resumed']),
  turn_started: new Set(['type', 'turn']),
  thinking: new Set(['type', 'id', 'text']),
  plan: new Set(['type', 'items']),
  message_delta: new Set(['type', 'id', 'text']),
  message: new Set(['type', 'id', 'text']),
  tool_started: new Set(['type', 'id', 'name', 'arguments']),
  tool_finished: new Set(['type', 'id', 'name', 'ok', 'result', 'exit_code', 'duration_ms']),
  question: new Set(['type', 'id', 'text']),
  approval_requested: new Set(['type', 'approval_id', 'summary', 'command']),
  approval_decided: new Set(['type', 'approval_id', 'decision', 'reason']),
  turn_finished: new Set(['type', 'reason', 'usage']),
  error: new Set(['type', 'message']),
};

/** The events of the scripted agent; its own side of the format is `src/demo/agent/agent-event.ts`. */
export function readDemoEvents({ draft, wait }: Surface): EventReader {
  const deltas = createDeltas(draft);
  const readTool = createToolReader(draft);
  wait(deltas);

  function event(event: JsonObject, unit: Unit): Misread | null {
    const type = textOf(event.type) ?? '';
    const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (type !== 'message_delta') deltas.flush();
    if (!known) return { event_type: type, problem: 'unknown type' };
    if (!read(type, event, unit)) return { event_type: type, problem: 'unexpected shape' };
    return unknownFields(type, event, known);
  }

  function read(type: string, event: JsonObject, unit: Unit): boolean {
    switch (type) {
      case 'session':
        return readSession(event, unit);
      case 'turn_started':
        draft.phase(type, unit);
        return true;
      case 'plan':
        return readPlan(event, unit);
      case 'tool_started':
      case 'tool_finished':
        return readTool(type, event, unit);
      case 'approval_requested':
      case 'approval_decided':
        return readApproval(type, event, unit);
      case 'turn_finished':
        return readFinish(event, unit);
      case 'error':
        return readError(event, unit);
      default:
        return readText(type, event, unit);
    }
  }

  function readSession(event: JsonObject, unit: Unit): boolean {
    const id = textOf(event.session_id);
    if (id === null || event.format !== FORMAT) return false;
    draft.openSession(id, 'session', unit);
    return true;
  }

  /** A question is what the agent says last in a turn; who answers it, and how, is the run's business. */
  function readText(type: string, event: JsonObject, unit: Unit): boolean {
    const text = textOf(event.text);
    const engineId = textOf(event.id);
    if (text === null || engineId === null) return false;
    const id = draft.attemptId(engineId);
    if (type === 'thinking') draft.event('agent.reasoning.summary', { message_id: id, text }, unit);
    else if (type === 'message_delta') deltas.add(id, text, unit);
    else draft.final(id, text, unit);
    return true;
  }

  function readPlan(event: JsonObject, unit: Unit): boolean {
    if (!Array.isArray(event.items)) return false;
    const items = listOf(event.items).map((item) => {
      const status = textOf(fieldOf(item, 'status'));
      const text = textOf(fieldOf(item, 'text')) ?? JSON.stringify(taken(item));
      return { text, ...(status === null ? {} : { status }) };
    });
    draft.event('agent.plan.updated', { items }, unit);
    return true;
  }

  function readApproval(type: string, event: JsonObject, unit: Unit): boolean {
    const approval_id = textOf(event.approval_id);
    if (approval_id === null) return false;
    const correlation = { interaction_id: approval_id };
    if (type === 'approval_requested') {
      const summary = textOf(event.summary);
      if (summary === null) return false;
      const command = event.command === undefined ? {} : { command: taken(event.command) };
      draft.event('interaction.approval.requested', { approval_id, summary, ...command }, unit, { correlation });
      return true;
    }
    const decision = textOf(event.decision);
    if (decision === null) return false;
    const reason = textOf(event.reason);
    draft.event(
      'interaction.approval.decided',
      { approval_id, decision, ...(reason === null ? {} : { reason }) },
      unit,
      { correlation },
    );
    return true;
  }

  function readFinish(event: JsonObject, unit: Unit): boolean {
    const reason = textOf(event.reason);
    if (reason === null) return false;
    const usage = isObject(event.usage) ? usageOf(event.usage) : null;
    draft.phase(`turn_finished.${reason}`, unit, usage ? { usage } : {});
    return true;
  }

  function readError(event: JsonObject, unit: Unit): boolean {
    const message = textOf(event.message);
    draft.error(classifyError(message ?? ''), message ?? 'the agent failed', unit);
    draft.phase('error', unit);
    return message !== null;
  }

  return { event, end: () => deltas.flush(), identity: (event) => JSON.stringify(taken(event)) };
}

/** The format uses the protocol's own names; values that are not numbers are skipped. */
function usageOf(amounts: JsonObject): Usage {
  const usage: Usage = {};
  for (const [name, value] of Object.entries(amounts)) {
    const amount = numberOf(value);
    if (amount !== null) usage[name] = amount;
  }
  return usage;
}
