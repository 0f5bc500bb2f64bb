/** More text than this is not the marker alone. */
export const LONGEST_MARKER = 200;

const NAMES = ['__SKILL_DONE__', '__skill_done__'];

/** The marker in one line if the text is a JSON object with the done marker and nothing else; otherwise null. */
export function doneMarkerAlone(text: string): string | null {
  if (text.length > LONGEST_MARKER || !/^\s*\{/.test(text)) return null;
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    const [name, value] = entries[0] ?? [];
    return entries.length === 1 && NAMES.includes(name!) && value === true ? `{"${name}": true}` : null;
  } catch {
    return null; // A brace, but no JSON.
  }
}
