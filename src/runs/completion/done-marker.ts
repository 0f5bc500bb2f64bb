const MARKER = /"__(SKILL_DONE|skill_done)__"\s*:\s*true\b/g;
/** Colours and cursor movements, character sets, and titles or links, which end with a bell or their own escape. */
const ESCAPES = /\u001b(?:\[[0-?]*[@-~]|[()][0-9A-Z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/**
 * Done markers in an assistant's text, in order. Code fences do not matter: it searches for the marker, not for JSON.
 */
export function findDoneMarkers(text: string): { text: string; legacy: boolean }[] {
  // Most texts contain none, and a substring search is much cheaper than a pattern.
  if (!text.includes('__SKILL_DONE__') && !text.includes('__skill_done__') && !text.includes('\u001b')) return [];
  return [...withoutEscapes(text).matchAll(MARKER)].map(([found, word]) => ({
    text: found,
    legacy: word === 'skill_done',
  }));
}

export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(ESCAPES, '') : text;
}
