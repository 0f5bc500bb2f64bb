import { createHash, hash } from 'node:crypto';

/**
 * The hash chain through `events.jsonl`. A line is `{…,"chain":"<64 hex>"}`; its chain value is the sha256 of the
 * previous line's value (as hex) and the line without its chain member. A changed byte breaks its own line,
 * a missing or moved line breaks the next one.
 */
const MEMBER_START = ',"chain":"';
const MEMBER_END = '"}';
const HEX_LENGTH = 64;
export const MEMBER_LENGTH = MEMBER_START.length + HEX_LENGTH + MEMBER_END.length;
const HEX_ONLY = /^[0-9a-f]+$/;
const CLOSING_BRACE = 0x7d;

/** Bytes that end every line, from the chain value on: enough to tell one line of one run from every other. */
export const LINE_ENDING_BYTES = HEX_LENGTH + MEMBER_END.length + 1;

/** What the first event is chained to, so that the events of one run cannot be passed off as another's. */
export function genesisChain(runId: string): string {
  return hash('sha256', `tacho-chain/1 ${runId}`);
}

/** Longest text that is hashed faster as a string than as bytes. */
const SHORT_TEXT = 4096;

/**
 * Writes the line, line feed included, and tells its chain value. `json` is the whole object without its chain member;
 * `into` has room for it and for MEMBER_LENGTH more.
 */
export function writeChained(
  previous: string,
  json: string,
  into: Buffer,
  at: number,
): { chain: string; length: number } {
  if (json.length <= SHORT_TEXT) {
    const chain = hash('sha256', previous + json);
    return { chain, length: into.write(`${json.slice(0, -1)}${MEMBER_START}${chain}${MEMBER_END}\n`, at) };
  }
  // A long line is turned into bytes once, for the hash and for the file.
  const bodyLength = into.write(json, at);
  const chain = createHash('sha256')
    .update(previous)
    .update(into.subarray(at, at + bodyLength))
    .digest('hex');
  const ending = into.write(`${MEMBER_START}${chain}${MEMBER_END}\n`, at + bodyLength - 1, 'latin1');
  return { chain, length: bodyLength - 1 + ending };
}

/** The chain value a line (without its line feed) claims to have; null when it does not end the way lines end. */
export function statedChain(line: Buffer): string | null {
  const memberFrom = line.length - MEMBER_LENGTH;
  if (memberFrom < 1) return null;
  const member = line.toString('latin1', memberFrom);
  if (!member.startsWith(MEMBER_START) || !member.endsWith(MEMBER_END)) return null;
  const chain = member.slice(MEMBER_START.length, -MEMBER_END.length);
  return HEX_ONLY.test(chain) ? chain : null;
}

let scratch = Buffer.allocUnsafe(64 * 1024);

/** The chain value a line (without its line feed) ought to have after `previous`. */
export function recomputedChain(previous: string, line: Buffer): string {
  const bodyLength = line.length - MEMBER_LENGTH;
  const length = HEX_LENGTH + bodyLength + 1;
  if (scratch.length < length) scratch = Buffer.allocUnsafe(length * 2);
  scratch.write(previous, 0, HEX_LENGTH, 'latin1');
  line.copy(scratch, HEX_LENGTH, 0, bodyLength);
  scratch[length - 1] = CLOSING_BRACE;
  return hash('sha256', scratch.subarray(0, length));
}
