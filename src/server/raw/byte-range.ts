export interface ByteSpan {
  from: number;
  /** Not included. */
  to: number;
}

/**
 * Parses a Range header. Null: send everything, because there is no header, or it has several ranges, another unit than
 * bytes or an invalid range, as RFC 9110 allows. `unsatisfiable`: the range begins after the end.
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
