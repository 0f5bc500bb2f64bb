import type { Deltas } from '../deltas.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, isObject, type JsonObject, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import type { Calls } from './calls.ts';
import type { StreamJsonDialect } from './dialect.ts';
import { STREAM_EVENT_FIELDS } from './fields.ts';
import { drifted, parentOf, unknownType } from './misread.ts';
import type { QuietPhases } from './quiet-phases.ts';
import type { Texts } from './texts.ts';
import { type CallUsage, usageOf } from './usage.ts';

/** Pieces that come again as a whole; a text's are worth showing at once. */
const SILENT_DELTAS = new Set(['thinking_delta', 'signature_delta', 'input_json_delta', 'citations_delta']);

interface Parts {
  draft: Drafter;
  dialect: StreamJsonDialect;
  texts: Texts;
  calls: Calls;
  deltas: Deltas;
  quiet: QuietPhases;
  usage: CallUsage;
}

/** Messages in the making, as the model service sends them. Pings, goals and progress come the same way. */
export function createStreamEventReader({ draft, dialect, texts, calls, deltas, quiet, usage }: Parts) {
  return (outer: JsonObject, unit: Unit): Misread | null => {
    const parent = parentOf(outer);
    const { event } = outer;
    if (parent === undefined || !isObject(event)) return drifted('stream_event');
    const type = textOf(event.type) ?? '';
    const name = `stream_event.${type}`;
    const known = Object.hasOwn(STREAM_EVENT_FIELDS, type) ? STREAM_EVENT_FIELDS[type] : undefined;
    if (!known) return unknownType(name);
    const problem = read(type, event, parent, unit);
    if (problem === 'shown') return unknownFields(name, event, known);
    if (problem) return problem;
    deltas.flush();
    quiet.add(name, unit);
    return unknownFields(name, event, known);
  };

  function read(type: string, event: JsonObject, parent: string | null, unit: Unit): Misread | 'shown' | null {
    switch (type) {
      case 'message_start': {
        const id = textOf(fieldOf(event, 'message', 'id'));
        texts.message(parent, id);
        usage.begin(parent, id);
        usage.report(parent, id, usageOf(fieldOf(event, 'message', 'usage'), dialect.counting));
        return null;
      }
      case 'message_delta':
        return readUsage(event, parent, unit);
      case 'content_block_start': {
        if (!isObject(event.content_block)) return drifted(`stream_event.${type}`);
        if (event.content_block.type !== 'text') return null;
        texts.begin(parent, unit);
        return show(parent, textOf(event.content_block.text) ?? '', unit);
      }
      case 'content_block_delta':
        return isObject(event.delta) ? readDelta(event.delta, parent, unit) : drifted(`stream_event.${type}`);
      default:
        return null;
    }
  }

  function readDelta(delta: JsonObject, parent: string | null, unit: Unit): Misread | 'shown' | null {
    const type = textOf(delta.type) ?? '';
    const name = `stream_event.content_block_delta ${type}`;
    if (type !== 'text_delta') return SILENT_DELTAS.has(type) ? null : unknownType(name);
    const text = textOf(delta.text);
    return text === null ? drifted(name) : show(parent, text, unit);
  }

  /** The answer to a call is complete: what it is billed for counts at once, for a budget may end here. */
  function readUsage(event: JsonObject, parent: string | null, unit: Unit): 'shown' | null {
    usage.report(parent, null, usageOf(event.usage, dialect.counting));
    if (usage.sum === null || !isObject(event.usage)) return null;
    deltas.flush();
    quiet.flush();
    draft.phase('stream_event.message_delta', unit, { usage: usage.sum });
    return 'shown';
  }

  function show(parent: string | null, text: string, unit: Unit): 'shown' | null {
    if (!texts.piece(parent, text, unit, calls.inside(parent))) return null;
    quiet.flush();
    return 'shown';
  }
}
