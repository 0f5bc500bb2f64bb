import type { ByteRange } from '../../src/protocol/index.ts';

/** The selected item. */
export type Selection =
  | { kind: 'event'; seq: number }
  | { kind: 'bytes'; range: ByteRange }
  | { kind: 'file'; path: string }
  | { kind: 'approval'; id: string };

export function sameSelection(one: Selection | null, other: Selection | null): boolean {
  return one === other || (one !== null && other !== null && JSON.stringify(one) === JSON.stringify(other));
}
