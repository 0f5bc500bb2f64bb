const PART = /(?:"((?:[^"\\]|\\.)*)"|([^."]+))(?:\.(?!$)|$)/y;

/** The parts of a path such as `targets.ssh."build.example".port`; an invalid path is one part. */
export function splitPath(path: string): string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < path.length) {
    const match = PART.exec(path);
    const part = match === null ? undefined : (match[2] ?? unquoted(match[1]!));
    if (part === undefined) return [path];
    parts.push(part);
  }
  return parts;
}

/** The reverse: quotes parts with a dot, a quote or a space. */
export function joinPath(...parts: string[]): string {
  return parts.map((part) => (/^[^."\s]+$/.test(part) ? part : JSON.stringify(part))).join('.');
}

/** `jump[1].host`: a path below `path`, from the keys and list indexes of a value. */
export function pathBelow(path: string, within: readonly PropertyKey[]): string {
  return within.reduce<string>(
    (at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}.${joinPath(String(key))}`),
    path,
  );
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}
