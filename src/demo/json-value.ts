export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Requests are read leniently, since real services add fields often: a value of another type counts as absent. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsIn(value: unknown): JsonObject[] {
  return listIn(value).filter(isObject);
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a message's content, which every protocol sends as a string or as a list of parts. */
export function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return listIn(content).flatMap((part) => {
    if (typeof part === 'string') return [part];
    const { text } = objectIn(part);
    return typeof text === 'string' ? [text] : [];
  });
}
