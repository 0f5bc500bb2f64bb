/** How long a service asks to wait, in milliseconds; null if it does not say. A date counts from `now`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  const exact = positive(headers['retry-after-ms']);
  if (exact !== null) return exact;
  const given = headers['retry-after']?.trim();
  const seconds = positive(given);
  if (seconds !== null) return seconds * 1000;
  // Date.parse() takes almost anything for a date.
  const date = given && /^[A-Z][a-z]+, /.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function positive(text: string | undefined): number | null {
  if (text === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return null;
  return Number(text);
}
