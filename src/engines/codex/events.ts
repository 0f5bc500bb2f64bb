import type { ParserContext } from '../../protocol/index.ts';
import { fieldOf, isObject, type JsonObject, taken, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createErrorReader } from './errors.ts';
import { createItemReader } from './items.ts';
import { createRounds } from './rounds.ts';
import { usageOf } from './usage.ts';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  'thread.started': new Set(['type', 'thread_id']),
  'turn.started': new Set(['type']),
  'turn.completed': new Set(['type', 'usage']),
  'turn.failed': new Set(['type', 'error']),
  'item.started': new Set(['type', 'item']),
  'item.updated': new Set(['type', 'item']),
  'item.completed': new Set(['type', 'item']),
  error: new Set(['type', 'message']),
};

/** The events of `codex exec --json`. */
export function readCodexEvents({ draft }: Surface, _context: ParserContext): EventReader {
  const rounds = createRounds(draft);
  const errors = createErrorReader(draft);
  const readItem = createItemReader(draft, rounds);

  function event(event: JsonObject, unit: Unit): Misread | null {
    const type = textOf(event.type) ?? '';
    const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (!known) return { event_type: type, problem: 'unknown type' };
    return read(type, event, unit) ?? unknownFields(type, event, known);
  }

  function read(type: string, event: JsonObject, unit: Unit): Misread | null {
    switch (type) {
      case 'thread.started': {
        const id = textOf(event.thread_id);
        if (id === null) return drifted(type);
        rounds.threadStarted();
        draft.openSession(id, type, unit);
        return null;
      }
      case 'turn.completed': {
        const usage = usageOf(event.usage);
        rounds.turnEnded();
        // A resumed thread counts on from where it was left.
        draft.phase(type, unit, usage ? { session_usage: usage } : {});
        return null;
      }
      case 'turn.failed':
        rounds.turnEnded();
        errors.turnFailed(textOf(fieldOf(event, 'error', 'message')), unit);
        draft.phase(type, unit);
        return null;
      case 'error': {
        const message = textOf(event.message);
        if (message === null) return drifted(type);
        errors.error(message, unit);
        return null;
      }
      case 'turn.started':
        rounds.turnStarted();
        errors.turnStarted();
        draft.phase(type, unit);
        return null;
      default:
        return isObject(event.item) ? readItem(type, event.item, unit) : drifted(type);
    }
  }

  return { event, end: () => {}, identity };
}

/** codex gives no times and numbers its items anew each time, so an item is known by its type, number and text. */
function identity(event: JsonObject): string {
  const item = isObject(event.item) ? event.item : {};
  const text = item.text ?? item.aggregated_output ?? event.message ?? event.thread_id ?? '';
  return JSON.stringify(taken([event.type, item.type ?? null, item.id ?? null, item.status ?? null, text]));
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}
