import { RASP_VERSION } from '../protocol/index.ts';
import { asciiOf } from './chain.ts';

/** The two facts about a line of `events.jsonl` that searching and ordering need. */
export interface LineHead {
  seq: number;
  ts: string;
}

const QUOTE = 0x22;
const ZERO = 0x30;
const BEFORE_TS = new TextEncoder().encode(',"ts":"');

/** The beginning of every line of a run, up to the number after `"seq":`. */
export function lineStartOf(runId: string, version: string = RASP_VERSION): Uint8Array {
  return new TextEncoder().encode(`{"protocol_version":"${version}","run_id":${JSON.stringify(runId)},"seq":`);
}

/**
 * Reads seq and ts from the start of a line without parsing the rest. A JSON line that does not begin like the writer's
 * lines is parsed completely. Null if it is not an event.
 */
export function readLineHead(line: Uint8Array, lineStart: Uint8Array): LineHead | null {
  const seq = readWrittenSeq(line, lineStart);
  if (seq === null) return readParsedHead(line);
  const from = lineStart.length + String(seq).length + BEFORE_TS.length;
  return { seq, ts: asciiOf(line.subarray(from, line.indexOf(QUOTE, from))) };
}

/** Only the seq, which is all that most readers need. */
export function readLineSeq(line: Uint8Array, lineStart: Uint8Array): number | null {
  return readWrittenSeq(line, lineStart) ?? readParsedHead(line)?.seq ?? null;
}

function readWrittenSeq(line: Uint8Array, lineStart: Uint8Array): number | null {
  let at = lineStart.length;
  if (!holdsAt(line, lineStart, 0)) return null;
  let seq = 0;
  for (let digit = line[at]! - ZERO; digit >= 0 && digit <= 9; digit = line[at]! - ZERO) {
    if (seq === 0 && digit === 0) return null;
    seq = seq * 10 + digit;
    at++;
  }
  if (seq === 0 || !holdsAt(line, BEFORE_TS, at)) return null;
  return line.indexOf(QUOTE, at + BEFORE_TS.length) === -1 ? null : seq;
}

function holdsAt(line: Uint8Array, wanted: Uint8Array, at: number): boolean {
  if (line.length < at + wanted.length) return false;
  for (let index = 0; index < wanted.length; index++) if (line[at + index] !== wanted[index]) return false;
  return true;
}

const decoder = new TextDecoder();

function readParsedHead(line: Uint8Array): LineHead | null {
  try {
    const { seq, ts } = JSON.parse(decoder.decode(line));
    return Number.isSafeInteger(seq) && seq > 0 && typeof ts === 'string' ? { seq, ts } : null;
  } catch {
    return null;
  }
}
