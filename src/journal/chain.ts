import { createHash, hash } from 'node:crypto';
import * as rule from '../record/chain.ts';
import type { Sha256 } from '../record/record-files.ts';

/** Node's own hash, for what `record/` checks. */
export const nodeSha256: Sha256 = {
  of: (bytes) => hash('sha256', bytes),
  start() {
    const running = createHash('sha256');
    return { update: (bytes) => void running.update(bytes), digest: () => running.copy().digest('hex') };
  },
};

export function genesisChain(runId: string): string {
  return rule.genesisChain(runId, nodeSha256);
}

export function recomputedChain(previous: string, line: Buffer): string {
  return rule.recomputedChain(previous, line, nodeSha256);
}

/** Longest text that is hashed faster as a string than as bytes. */
const SHORT_TEXT = 4096;

/**
 * Writes the line, line feed included, and returns its chain value. `json` is the whole object without its chain member;
 * `into` has room for it and for MEMBER_LENGTH more.
 */
export function writeChained(
  previous: string,
  json: string,
  into: Buffer,
  at: number,
): { chain: string; length: number } {
  const { MEMBER_START, MEMBER_END } = rule;
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
