/** The two facts about a line that finding and ordering need. */
export interface LineHead {
  seq: number;
  ts: string;
}

const QUOTE = 0x22;
const ZERO = 0x30;
const BEFORE_TS = Buffer.from(',"ts":"');

/**
 * Reads seq and ts off the start of a line without parsing the rest of it. A line that is JSON but does not begin as
 * the writer begins lines is parsed whole. Null when it is not an event at all.
 */
export function readLineHead(line: Buffer, lineStart: Buffer): LineHead | null {
  const seq = readWrittenSeq(line, lineStart);
  if (seq === null) return readParsedHead(line);
  const from = lineStart.length + String(seq).length + BEFORE_TS.length;
  return { seq, ts: line.toString('latin1', from, line.indexOf(QUOTE, from)) };
}

/** The seq alone, which is all that most readers look at. */
export function readLineSeq(line: Buffer, lineStart: Buffer): number | null {
  return readWrittenSeq(line, lineStart) ?? readParsedHead(line)?.seq ?? null;
}

function readWrittenSeq(line: Buffer, lineStart: Buffer): number | null {
  let at = lineStart.length;
  if (line.length < at || lineStart.compare(line, 0, at) !== 0) return null;
  let seq = 0;
  for (let digit = line[at]! - ZERO; digit >= 0 && digit <= 9; digit = line[at]! - ZERO) {
    if (seq === 0 && digit === 0) return null;
    seq = seq * 10 + digit;
    at++;
  }
  if (seq === 0) return null;
  const tsFrom = at + BEFORE_TS.length;
  if (line.length < tsFrom || BEFORE_TS.compare(line, at, tsFrom) !== 0) return null;
  return line.indexOf(QUOTE, tsFrom) === -1 ? null : seq;
}

function readParsedHead(line: Buffer): LineHead | null {
  try {
    const { seq, ts } = JSON.parse(line.toString());
    return Number.isSafeInteger(seq) && seq > 0 && typeof ts === 'string' ? { seq, ts } : null;
  } catch {
    return null;
  }
}
