/** The two facts about a line that finding and ordering need. */
export interface LineHead {
  seq: number;
  ts: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const TS_MEMBER = '"ts":"';

/**
 * Reads seq and ts off the start of a line without parsing the rest of it. A line that is JSON but does not begin as
 * the writer begins lines is parsed whole. Null when it is not an event at all.
 */
export function readLineHead(line: Buffer, lineStart: Buffer): LineHead | null {
  return readWrittenHead(line, lineStart) ?? readParsedHead(line);
}

function readWrittenHead(line: Buffer, lineStart: Buffer): LineHead | null {
  let at = lineStart.length;
  if (line.length < at || lineStart.compare(line, 0, at) !== 0) return null;
  let seq = 0;
  for (let digit = line[at]! - ZERO; digit >= 0 && digit <= 9; digit = line[at]! - ZERO) {
    seq = seq * 10 + digit;
    at++;
  }
  if (seq === 0 || line[at] !== COMMA) return null;
  const tsFrom = at + 1 + TS_MEMBER.length;
  if (line.toString('latin1', at + 1, tsFrom) !== TS_MEMBER) return null;
  const tsTo = line.indexOf(QUOTE, tsFrom);
  return tsTo === -1 ? null : { seq, ts: line.toString('latin1', tsFrom, tsTo) };
}

function readParsedHead(line: Buffer): LineHead | null {
  try {
    const { seq, ts } = JSON.parse(line.toString());
    return Number.isSafeInteger(seq) && seq > 0 && typeof ts === 'string' ? { seq, ts } : null;
  } catch {
    return null;
  }
}
