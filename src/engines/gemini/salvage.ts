import type { Drafter } from '../drafter.ts';
import { fencedBlocks } from '../fenced-json.ts';
import { structuredPayload } from '../structured-payload.ts';
import type { Unit } from '../unit.ts';

const RESPONSE = 0.7;
const FENCED = 0.5;

/**
 * What a document still says that is not valid JSON, because it was cut off or something was printed into it: the session, the
 * answer, or at least the JSON in an answer that is not whole. Its bytes are raw already.
 */
export function salvage(draft: Drafter, text: string, unit: Unit): void {
  // A line of `stream-json` that was cut off: an answer in it would be a tool's.
  if (/^\s*\{\s*"type"/.test(text)) return;
  const response = stringField(text, 'response');
  const answer = response?.isWhole ? response.value : lastFenced(response?.value ?? text);
  if (answer === null || answer === '') return;
  const session = stringField(text, 'session_id');
  const isWhole = response?.isWhole ?? false;
  draft.withConfidence(isWhole ? RESPONSE : FENCED, () => {
    if (session?.isWhole) draft.openSession(session.value, 'session', unit);
    draft.final(draft.derivedId(unit), answer, unit);
    // Only a document that closes, and reports no error, says that the work is over.
    if (isWhole && /(?:^|\n)\}\s*$/.test(text) && !text.includes('"error":')) draft.phase('response', unit);
  });
}

function lastFenced(text: string): string | null {
  const found = fencedBlocks(text).find(({ inner }) => structuredPayload(inner) !== undefined);
  return found?.block ?? null;
}

/** The first string of this name in text that need not be JSON; as much of it as there is. */
function stringField(text: string, name: string): { value: string; isWhole: boolean } | null {
  const opening = new RegExp(`"${name}"\\s*:\\s*"`).exec(text);
  if (!opening) return null;
  const from = opening.index + opening[0].length;
  let to = from;
  while (to < text.length && text[to] !== '"' && text[to] !== '\n') to += text[to] === '\\' ? 2 : 1;
  const isWhole = text[to] === '"';
  // An escape may be cut off too; the longest is six characters long.
  for (let cut = 0; cut <= 6 && to - cut >= from; cut++) {
    const value = unescaped(text.slice(from, to - cut));
    if (value !== null) return { value, isWhole: isWhole && cut === 0 };
    if (isWhole) break;
  }
  return null;
}

function unescaped(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null; // Not the inside of a JSON string.
  }
}
