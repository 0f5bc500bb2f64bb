import { TachoError } from '../protocol/error-code.ts';

const MILLISECONDS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
type Unit = keyof typeof MILLISECONDS;

/** Sticky, so that the parts must follow each other without a gap. `ms` comes before `m`. */
const PART = /\s*(\d+(?:\.\d+)?)(ms|d|h|m|s)\s*/y;
const EXAMPLES = 'a duration such as 250ms, 30s, 5m or 1h30m';

/**
 * Milliseconds from text such as `250ms`, `1.5s` or `1h30m`; units must descend, and fractions are rounded to whole
 * milliseconds. Throws on anything else. Rejects a bare number, since `--timeout 30` is unlikely to mean 30
 * milliseconds.
 */
export function parseDuration(text: string): number {
  if (/^\s*0+\s*$/.test(text)) return 0;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) {
    throw badDuration(text, `needs a unit: ${text.trim()}s or ${text.trim()}ms, for example`);
  }
  let total = 0;
  let smallestSoFar = Number.POSITIVE_INFINITY;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length || text === '') {
    const part = PART.exec(text);
    if (part === null) throw badDuration(text, `is not ${EXAMPLES}`);
    const scale = MILLISECONDS[part[2] as Unit];
    if (scale >= smallestSoFar)
      throw badDuration(text, 'has its units out of order: days, hours, minutes, seconds, ms');
    smallestSoFar = scale;
    total += Number(part[1]) * scale;
  }
  const whole = Math.round(total);
  if (!Number.isSafeInteger(whole)) throw badDuration(text, 'is too long');
  return whole;
}

/** The shortest text that `parseDuration` reads back as the same number: `5400000` → `1h30m`. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const [unit, scale] of Object.entries(MILLISECONDS)) {
    const count = Math.floor(rest / scale);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * scale;
  }
  return text === '' ? '0ms' : text;
}

function badDuration(text: string, complaint: string): TachoError {
  return new TachoError('CONFIG_INVALID', `${JSON.stringify(text.slice(0, 80))} ${complaint}`);
}
