import type * as z from 'zod';

/**
 * Reads a value that a newer version of tacho may have written: fields that the schema does not know are left out, and a
 * newer version of a known `format` is read as far as it fits. Returns the error of the exact schema when it does not.
 */
export function readLeniently<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { success: true; data: T; newer: string | null } | { success: false; error: z.ZodError; newer: string | null } {
  const exact = schema.safeParse(value);
  if (exact.success) return { success: true, data: exact.data, newer: null };
  const adapted: Adapted = { value: structuredClone(value), newer: null, givenUp: new Set() };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = schema.safeParse(adapted.value);
    if (result.success) return { success: true, data: result.data, newer: adapted.newer };
    const changes = result.error.issues.map((issue) => adapt(adapted, issue));
    if (!changes.includes(true)) break;
  }
  return { success: false, error: exact.error, newer: adapted.newer };
}

/** Each round goes one level deeper; nothing we write is deeper than this. */
const MAX_ROUNDS = 12;
/** `tacho-run/2`, `rasp/1.1`. */
const FORMAT = /^([a-z-]+)\/(\d{1,9}(?:\.\d{1,9})?)$/;
const FORMAT_FIELDS: readonly PropertyKey[] = ['format', 'protocol_version'];

interface Adapted {
  value: unknown;
  newer: string | null;
  /** Places whose value was replaced by null, which is the last thing that is tried. */
  givenUp: Set<string>;
}

/** True when the value was changed so that the issue may be gone. */
function adapt(adapted: Adapted, issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'unrecognized_keys') {
    const holder = at(adapted.value, issue.path);
    for (const key of issue.keys) delete holder?.[key];
    return holder !== null;
  }
  const last = issue.path.at(-1);
  const holder = at(adapted.value, issue.path.slice(0, -1));
  if (last === undefined || holder === null) return false;
  if (issue.path.length === 1 && FORMAT_FIELDS.includes(last) && issue.code === 'invalid_value') {
    const known = String(issue.values[0]);
    if (!isNewer(holder[last], known)) return false;
    adapted.newer = String(holder[last]);
    holder[last] = known;
    return true;
  }
  // Only in a newer record a value may have a meaning that is not known here: a field is done without where it can be.
  if (adapted.newer === null || typeof last === 'number') return false;
  if (Object.hasOwn(holder, last)) return delete holder[last];
  const place = issue.path.join('.');
  if (adapted.givenUp.has(place)) return false;
  adapted.givenUp.add(place);
  holder[last] = null;
  return true;
}

function isNewer(format: unknown, known: string): boolean {
  const [found, expected] = [FORMAT.exec(String(format)), FORMAT.exec(known)];
  return found !== null && expected !== null && found[1] === expected[1] && Number(found[2]) > Number(expected[2]);
}

function at(value: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | null {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return null;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return typeof found === 'object' && found !== null ? (found as Record<PropertyKey, unknown>) : null;
}
