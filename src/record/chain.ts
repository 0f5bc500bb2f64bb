import type { Sha256 } from './record-files.ts';

/**
 * The hash chain through `events.jsonl`. A line is `{…,"chain":"<64 hex>"}`; its chain value is the sha256 of the
 * previous line's value (as hex) and the line without its chain member. A changed byte breaks its own line, a missing
 * or moved line breaks the next one.
 */
export const MEMBER_START = ',"chain":"';
export const MEMBER_END = '"}';
const HEX_LENGTH = 64;
export const MEMBER_LENGTH = MEMBER_START.length + HEX_LENGTH + MEMBER_END.length;
const MEMBER = /^,"chain":"([0-9a-f]{64})"\}$/;
const CLOSING_BRACE = 0x7d;

/** Bytes at the end of every line, from the chain value on: enough to identify one line of one run. */
export const LINE_ENDING_BYTES = HEX_LENGTH + MEMBER_END.length + 1;

/** The chain value before the first event, so that the events of one run cannot pass for another's. */
export function genesisChain(runId: string, sha256: Sha256): string {
  return sha256.of(`tacho-chain/1 ${runId}`);
}

/** The chain value stated in a line (without its line feed); null if it does not end like an event line. */
export function statedChain(line: Uint8Array): string | null {
  const memberFrom = line.length - MEMBER_LENGTH;
  if (memberFrom < 1) return null;
  return MEMBER.exec(asciiOf(line.subarray(memberFrom)))?.[1] ?? null;
}

/** True if a line (without its line feed) ends with this chain value. Faster than extracting the value. */
export function endsWithChain(line: Uint8Array, chain: string): boolean {
  const member = MEMBER_START + chain + MEMBER_END;
  const from = line.length - member.length;
  if (from < 1) return false;
  for (let at = 0; at < member.length; at++) if (line[from + at] !== member.charCodeAt(at)) return false;
  return true;
}

/** For a few bytes. Avoids a spread, which takes ten times as long. */
export function asciiOf(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

let scratch = new Uint8Array(64 * 1024);

/** The correct chain value of a line (without its line feed) after `previous`. */
export function recomputedChain(previous: string, line: Uint8Array, sha256: Sha256): string {
  const bodyLength = line.length - MEMBER_LENGTH;
  const length = HEX_LENGTH + bodyLength + 1;
  if (scratch.length < length) scratch = new Uint8Array(length * 2);
  for (let at = 0; at < HEX_LENGTH; at++) scratch[at] = previous.charCodeAt(at);
  scratch.set(line.subarray(0, bodyLength), HEX_LENGTH);
  scratch[length - 1] = CLOSING_BRACE;
  return sha256.of(scratch.subarray(0, length));
}
