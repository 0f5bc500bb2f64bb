import { type JsonObject, taken } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import type { EventReader } from '../ndjson-parser.ts';
import { readDocument } from './document.ts';
import { salvage } from './salvage.ts';
import { createSpeech } from './speech.ts';
import { createStreamReader } from './stream-events.ts';

/** The confidence of what stands in a document; a line of `stream-json` says more of itself. */
const DOCUMENT = 0.9;

/** What gemini prints: lines of `stream-json`, each with a type, or the one document of `json`, without one. */
export function readGeminiEvents(surface: Surface): EventReader {
  const { draft } = surface;
  const speech = createSpeech(surface);
  const readStreamEvent = createStreamReader(draft, speech);
  return {
    event(event, unit) {
      if (Object.hasOwn(event, 'type')) return readStreamEvent(event, unit);
      speech.close();
      return draft.withConfidence(DOCUMENT, () => readDocument(draft, event, unit));
    },
    unreadable: (text, unit) => salvage(draft, text, unit),
    end: () => speech.close(),
    identity,
  };
}

/** Lines carry a time, so two printings of one event are alike in all of these. */
function identity(event: JsonObject): string {
  const { type, timestamp, role, content, tool_id, status, session_id, response } = event;
  return JSON.stringify([type, timestamp, role, content, tool_id, status, session_id, response].map(taken));
}
