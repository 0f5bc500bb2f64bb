/** A JSON value in a text. */
export interface JsonValue {
  value: unknown;
  /** Where it begins and ends in the text, with its code fence. */
  from: number;
  to: number;
  /** In a code fence of its own. */
  isFenced: boolean;
}

/** Deeper values are not results, and would overflow the stack of whatever handles them. */
const MAX_DEPTH = 100;
/** A text of brackets could be read from each of them to its end. */
const MAX_STEPS = 16 * 1024 * 1024;
/** The lines around a fenced block. The longer fence of a block that holds fences is one, too. */
const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n/gm;

/**
 * All JSON values of a text, in order: the content of code fences; objects anywhere; lists that have their lines to
 * themselves, because `[1]` in a sentence is a footnote. Values inside of values are not listed.
 */
export function findJsonValues(text: string): JsonValue[] {
  const budget = { steps: MAX_STEPS };
  const found: JsonValue[] = [];
  let at = 0;
  for (const fence of fencesIn(text)) {
    const value = readJson(fence.content, budget);
    if (value === null) continue;
    found.push(...bareValues(text, at, fence.from, budget));
    found.push({ ...value, from: fence.from, to: fence.to, isFenced: true });
    at = fence.to;
  }
  found.push(...bareValues(text, at, text.length, budget));
  return found;
}

/** The value of a text that is JSON and nothing else. */
export function readJson(text: string, budget = { steps: MAX_STEPS }): { value: unknown } | null {
  const trimmed = text.trim();
  if (/^[{[]/.test(trimmed) && endOfValue(trimmed, 0, budget) !== trimmed.length) return null;
  return parsed(trimmed);
}

function* fencesIn(text: string): Generator<{ from: number; to: number; content: string }> {
  let open: { from: number; content: number; mark: string } | null = null;
  for (const { 0: line, 1: mark = '', index } of `${text}\n`.matchAll(FENCE)) {
    const to = Math.min(index + line.trimEnd().length, text.length);
    if (!open) open = { from: index, content: index + line.length, mark };
    else if (line.trim() === mark && mark.startsWith(open.mark)) {
      yield { from: open.from, to, content: text.slice(open.content, index) };
      open = null;
    }
  }
}

function* bareValues(text: string, from: number, to: number, budget: { steps: number }): Generator<JsonValue> {
  const opening = /[{[]/g;
  opening.lastIndex = from;
  for (let match = opening.exec(text); match && match.index < to && budget.steps > 0; match = opening.exec(text)) {
    const { index } = match;
    const end = endOfValue(text, index, budget);
    if (end === null || end > to) continue;
    const value = match[0] === '{' || hasOwnLines(text, index, end) ? parsed(text.slice(index, end)) : null;
    if (value === null) continue;
    yield { ...value, from: index, to: end, isFenced: false };
    opening.lastIndex = end;
  }
}

function hasOwnLines(text: string, from: number, to: number): boolean {
  let start = from - 1;
  while (isBlank(text[start])) start--;
  let end = to;
  while (isBlank(text[end])) end++;
  return (start < 0 || text[start] === '\n') && (end >= text.length || text[end] === '\n');
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Where the object or list that begins at `from` ends; null if it does not. */
function endOfValue(text: string, from: number, budget: { steps: number }): number | null {
  const open: string[] = [];
  for (let at = from; at < text.length && budget.steps-- > 0; at++) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at, budget);
      if (at < 0) return null;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      if (open.length > MAX_DEPTH) return null;
    } else if (character === '}' || character === ']') {
      if (open.pop() !== character) return null;
      if (open.length === 0) return at + 1;
    }
  }
  return null;
}

/** Its closing quote; -1 if it has none on its line. */
function endOfString(text: string, from: number, budget: { steps: number }): number {
  for (let at = from + 1; at < text.length && budget.steps-- > 0; at++) {
    const character = text[at];
    if (character === '"') return at;
    if (character === '\n') return -1;
    if (character === '\\') at++;
  }
  return -1;
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null; // Brackets, but not JSON.
  }
}
