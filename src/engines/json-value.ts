/** An object as JSON.parse gives it: nothing is known about its fields until they are looked at. */
export type JsonObject = { readonly [key: string]: unknown };

const DEEPEST = 100;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function integerOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of an object that may not be one. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** A time an engine printed, as ISO text; null when it is none or lies outside of what a date can hold. */
export function isoTime(value: unknown): string | null {
  const time = typeof value === 'string' ? Date.parse(value) : numberOf(value);
  if (time === null || !Number.isFinite(time) || time < 0 || time > 8.64e15) return null;
  const iso = new Date(time).toISOString();
  // Years beyond 9999 are written with a sign, which is not a date-time of the protocol.
  return iso.length === 24 ? iso : null;
}

/** A value taken over as it is, unless it is nested so deeply that writing it would overflow the stack. */
export function taken(value: unknown): unknown {
  return deeperThan(value, DEEPEST) ? '[nested too deeply to show; raw_ref has it]' : value;
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && deeperThan(inner, levels - 1)) return true;
  }
  return false;
}
