/** A place in a run as entered by the user: the number of an event, or a time since the start. */
export type Place = { kind: 'seq'; seq: number } | { kind: 'time'; ms: number };

/** Reads `412`, `2:14`, `1:02:14.5` or `90 s`; null for anything else. */
export function parsePlace(text: string): Place | null {
  const given = text.trim().replace(/^(#|seq\s*)/i, '');
  if (/^\d{1,9}$/.test(given)) return Number(given) > 0 ? { kind: 'seq', seq: Number(given) } : null;
  const seconds = /^(\d{1,9}(?:\.\d{1,3})?)\s*s$/.exec(given)?.[1];
  if (seconds !== undefined) return { kind: 'time', ms: Math.round(Number(seconds) * 1000) };
  if (!/^(\d{1,4}:)?\d{1,4}:\d{2}(\.\d{1,3})?$/.test(given)) return null;
  const parts = given.split(':').map(Number);
  return { kind: 'time', ms: Math.round(parts.reduce((sum, part) => sum * 60 + part, 0) * 1000) };
}
