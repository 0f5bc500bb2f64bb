export interface ByteSpan {
  from: number;
  /** Not included. */
  to: number;
}

/**
 * Reads a Range header. Null: there is none that counts, and all of it is sent. That is also the answer to several ranges
 * at once, to units other than bytes and to what is no range, as RFC 9110 allows. `unsatisfiable`: a range that lies
 * behind the end.
 */
export function parseRange(header: string | undefined, size: number): ByteSpan | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '');
  if (!match) return null;
  const [, first, last] = match;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
