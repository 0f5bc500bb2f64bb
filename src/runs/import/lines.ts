const LINE_FEED = 0x0a;
/** Longer lines are not kept in memory: their rest is dropped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface Line {
  /** From 1. */
  number: number;
  /** Without its end; null if it is too long to be read. */
  text: string | null;
}

/** The lines of a text that comes in pieces, with as much memory as the longest one that is read. */
export function* linesOf(pieces: Iterable<Buffer>, maxBytes = MAX_LINE_BYTES): Generator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 1;

  function take(): Line {
    const isRead = heldBytes <= maxBytes;
    const line = { number, text: isRead ? Buffer.concat(held).toString('utf8').replace(/\r$/, '') : null };
    number++;
    held = [];
    heldBytes = 0;
    return line;
  }

  function hold(bytes: Buffer): void {
    heldBytes += bytes.length;
    if (heldBytes > maxBytes) held = [];
    // The piece is valid until the next one only.
    else held.push(Buffer.from(bytes));
  }

  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const end = piece.indexOf(LINE_FEED, from);
      hold(piece.subarray(from, end < 0 ? piece.length : end));
      if (end < 0) break;
      yield take();
      from = end + 1;
    }
  }
  if (heldBytes > 0) yield take();
}
