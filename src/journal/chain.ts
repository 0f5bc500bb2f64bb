import { createHash, hash } from 'node:crypto';
import * as rule from '../record/chain.ts';
import type { Sha256 } from '../record/record-files.ts';
import type { EventJson } from './event-json.ts';

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

/**
 * Writes the line, line feed included, and returns its chain value. `json` is the whole object without its chain member;
 * `into` has room for it and for MEMBER_LENGTH more.
 */
export function writeChained(
  previous: string,
  { before, printed, after }: EventJson,
  into: Buffer,
  at: number,
): { chain: string; length: number } {
  const { MEMBER_START, MEMBER_END } = rule;
  // What is hashed stands in one piece, so that it is hashed in one call.
  let end = at + into.write(previous + before, at);
  if (printed !== '') {
    end += into.write(printed, end);
    end += into.write(after, end);
  }
  const chain = hash('sha256', into.subarray(at, end));
  into.copyWithin(at, at + previous.length, end);
  const bodyLength = end - at - previous.length;
  const ending = into.write(`${MEMBER_START}${chain}${MEMBER_END}\n`, at + bodyLength - 1, 'latin1');
  return { chain, length: bodyLength - 1 + ending };
}
