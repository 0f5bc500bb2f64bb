import { columnsOf } from './columns.ts';
import { harmlessOneLine } from './harmless.ts';

/** Longer text says more than that the work is done. */
export const LONGEST_MARKER = 200;

const NAMES = ['__SKILL_DONE__', '__skill_done__'];

/** A JSON object with the done marker as one line; null if the text is something else, or does not fit into a line. */
export function doneMarkerLine(text: string, columns: number): string | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_MARKER || !trimmed.startsWith('{')) return null;
  try {
    const value = JSON.parse(trimmed) as Record<string, unknown>;
    if (!NAMES.some((name) => Object.hasOwn(value, name) && value[name] === true)) return null;
  } catch {
    return null; // A brace, but no JSON.
  }
  const line = harmlessOneLine(trimmed.replace(/^\{\s+/, '{').replace(/\s+\}$/, '}'));
  return columnsOf(line) <= columns ? line : null;
}
