import { createDeltas } from '../deltas.ts';
import { type JsonObject, taken, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createCalls } from './calls.ts';
import type { StreamJsonDialect } from './dialect.ts';
import { createHeldFailure } from './failure.ts';
import { EVENT_FIELDS } from './fields.ts';
import { createMessageReader } from './messages.ts';
import { drifted, unknownType } from './misread.ts';
import { createQuietPhases } from './quiet-phases.ts';
import { createResultReader } from './result.ts';
import { readRetry } from './retry.ts';
import { createStreamEventReader } from './stream-events.ts';
import { createTexts } from './texts.ts';
import { createCallUsage } from './usage.ts';

/** Printed so often while nothing else happens that they are put together. */
const QUIET = new Set([
  'system.thinking_tokens',
  'system.task_progress',
  'system.hook_progress',
  'tool_progress',
  'keep_alive',
]);

/** The envelope of `--output-format stream-json`. */
export function readStreamJson({ draft, wait }: Surface, dialect: StreamJsonDialect): EventReader {
  const deltas = createDeltas(draft);
  const quiet = createQuietPhases(draft);
  wait(deltas);
  wait(quiet);
  const texts = createTexts(draft, deltas, dialect);
  const calls = createCalls(draft, dialect);
  const failure = createHeldFailure(draft);
  const usage = createCallUsage();
  const readStreamEvent = createStreamEventReader({ draft, dialect, texts, calls, deltas, quiet, usage });
  const messages = createMessageReader({ draft, dialect, texts, calls, failure, usage });
  const { takeInterruption } = messages;
  const readResult = createResultReader({ draft, dialect, texts, calls, failure, usage, takeInterruption });

  function flush(): void {
    deltas.flush();
    quiet.flush();
  }

  function event(event: JsonObject, unit: Unit): Misread | null {
    const type = textOf(event.type) ?? '';
    const name = type === 'system' ? `system.${textOf(event.subtype) ?? ''}` : type;
    const known = type === 'system' ? own(dialect.systems, name.slice('system.'.length)) : own(EVENT_FIELDS, type);
    if (type !== 'stream_event' && !QUIET.has(name)) flush();
    if (!known) return unknownType(name);
    openSession(name, event, unit);
    return read(name, event, unit) ?? unknownFields(name, event, known);
  }

  /** Hooks may speak before the first `init`, and that line may be lost; of a result its reader decides. */
  function openSession(name: string, event: JsonObject, unit: Unit): void {
    if (draft.session !== null || name === 'system.init' || name === 'result') return;
    const id = textOf(event.session_id);
    if (id !== null) draft.openSession(id, 'session', unit);
  }

  function read(name: string, event: JsonObject, unit: Unit): Misread | null {
    switch (name) {
      case 'system.init': {
        const id = textOf(event.session_id);
        const model = textOf(event.model);
        if (id === null) return drifted(name);
        draft.openSession(id, 'init', unit, model === null ? {} : { model });
        return null;
      }
      case 'system.api_retry':
      case 'system.api_error':
      case 'system.retry':
        readRetry(draft, event, unit);
        return null;
      case 'assistant':
        return messages.assistant(event, unit);
      case 'user':
        return messages.user(event, unit);
      case 'stream_event':
        return readStreamEvent(event, unit);
      case 'result':
        return readResult(event, unit);
      default:
        if (!QUIET.has(name)) draft.phase(name, unit);
        else {
          deltas.flush();
          quiet.add(name, unit);
        }
        return null;
    }
  }

  return {
    event,
    end() {
      flush();
      failure.tell();
    },
    identity,
  };
}

/** Every event has an id of its own. */
function identity(event: JsonObject): string {
  const id = textOf(event.uuid);
  return JSON.stringify(id === null ? taken(event) : [event.type, event.subtype, id].map(taken));
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
