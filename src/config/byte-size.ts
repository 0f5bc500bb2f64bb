import { TachoError } from '../protocol/error-code.ts';

const BYTES: ReadonlyMap<string, number> = new Map([
  ['TiB', 2 ** 40],
  ['TB', 1e12],
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['kB', 1e3],
  ['B', 1],
]);
const BYTES_BY_LOWER_CASE = new Map([...BYTES].map(([unit, scale]) => [unit.toLowerCase(), scale]));
const EXAMPLES = 'a size such as 512, 10kB, 64MiB or 1.5GiB';

/**
 * Bytes from text such as `512`, `10kB` (1000s) or `64MiB` (1024s), in any case; rounds to whole bytes. Throws on
 * anything else.
 */
export function parseByteSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) throw badSize(text, `is not ${EXAMPLES}`);
  const [, digits = '', unit = ''] = match;
  // Ambiguous: `64M` is 2^20 for dd and 10^6 for disk makers.
  if (/^[kmgt]$/i.test(unit)) {
    const letter = unit.toUpperCase();
    throw badSize(text, `is ambiguous: write ${digits}${letter === 'K' ? 'k' : letter}B or ${digits}${letter}iB`);
  }
  const scale = unit === '' ? 1 : BYTES_BY_LOWER_CASE.get(unit.toLowerCase());
  if (scale === undefined) throw badSize(text, `is not ${EXAMPLES}`);
  const whole = Math.round(Number(digits) * scale);
  if (!Number.isSafeInteger(whole)) throw badSize(text, 'is too large');
  return whole;
}

/** Text that `parseByteSize` reads back as the same number, in the largest unit that divides it. */
export function formatByteSize(bytes: number): string {
  for (const [unit, scale] of BYTES) {
    if (bytes >= scale && bytes % scale === 0) return `${bytes / scale}${unit}`;
  }
  return `${bytes}B`;
}

function badSize(text: string, complaint: string): TachoError {
  return new TachoError('CONFIG_INVALID', `${JSON.stringify(text.slice(0, 80))} ${complaint}`);
}
