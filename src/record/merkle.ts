import type { Sha256 } from './record-files.ts';

/**
 * The hash tree of RFC 6962: one hash represents a list that only grows. A short proof shows that an entry is in the
 * list (inclusion), another that a longer list begins with a shorter one (consistency). Hashes are hex digits.
 *
 * A tree is stored as the list of its complete subtrees, in the order in which appending completes them: the first
 * leaf, the second, both together, the third, … Stored hashes never change, and a proof reads few of them.
 */
export type ReadHash = (position: number) => string;

const LEAF = 0;
const NODE = 1;

// One buffer for all inputs: allocating memory for each would take longer than hashing it.
const leafBytes = Uint8Array.of(LEAF, ...new Uint8Array(1024));
const nodeBytes = Uint8Array.of(NODE, ...new Uint8Array(64));

export function leafHash(entry: Uint8Array, sha256: Sha256): string {
  const length = entry.length + 1;
  const bytes = length <= leafBytes.length ? leafBytes.subarray(0, length) : new Uint8Array(length);
  bytes.set(entry, 1);
  return sha256.of(bytes);
}

export function nodeHash(left: string, right: string, sha256: Sha256): string {
  putHex(nodeBytes, 1, left);
  putHex(nodeBytes, 33, right);
  return sha256.of(nodeBytes);
}

/** Number of stored hashes of a tree with `size` leaves. */
export function keptHashes(size: number): number {
  let count = 0;
  for (let left = size; left > 0; left = Math.floor(left / 2)) count += left;
  return count;
}

/** Position of the complete subtree over 2^level leaves from `first` on. */
function positionOf(level: number, first: number): number {
  return keptHashes(first + 2 ** level - 1) + level;
}

/** The hashes that a leaf adds to a tree of `size` leaves: its own, and those of the subtrees that it completes. */
export function addedHashes(leaf: string, size: number, read: ReadHash, sha256: Sha256): string[] {
  const added = [leaf];
  for (let level = 0; Math.floor(size / 2 ** level) % 2 === 1; level++) {
    const left = read(positionOf(level, size + 1 - 2 ** (level + 1)));
    added.push(nodeHash(left, added[level]!, sha256));
  }
  return added;
}

export function treeRoot(size: number, read: ReadHash, sha256: Sha256): string {
  return size === 0 ? sha256.of('') : rangeHash(0, size, read, sha256);
}

/** The root computed from the leaves themselves, for a list without trustworthy stored hashes. */
export function rootOfLeaves(leaves: Iterable<string>, sha256: Sha256): string {
  // Hashes of the complete subtrees so far, largest first: one for each binary digit 1 of the number of leaves.
  const subtrees: string[] = [];
  let count = 0;
  for (const leaf of leaves) {
    let hash = leaf;
    for (let left = count; left % 2 === 1; left = (left - 1) / 2) hash = nodeHash(subtrees.pop()!, hash, sha256);
    subtrees.push(hash);
    count++;
  }
  if (count === 0) return sha256.of('');
  return subtrees.reduceRight((right, left) => nodeHash(left, right, sha256));
}

/** The path from a leaf to the root of a tree of `size` leaves. */
export function inclusionProof(index: number, size: number, read: ReadHash, sha256: Sha256): string[] {
  const proof: string[] = [];
  for (let from = 0, to = size; to - from > 1; ) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      proof.push(rangeHash(middle, to, read, sha256));
      to = middle;
    } else {
      proof.push(rangeHash(from, middle, read, sha256));
      from = middle;
    }
  }
  return proof.reverse();
}

/** Shows that the tree of `size` leaves begins with the tree of `earlier` leaves. */
export function consistencyProof(earlier: number, size: number, read: ReadHash, sha256: Sha256): string[] {
  const proof: string[] = [];
  let from = 0;
  let to = size;
  // Down to the subtree in which the earlier tree ends.
  while (earlier > 0 && earlier < to) {
    const middle = from + splitOf(to - from);
    if (earlier <= middle) {
      proof.push(rangeHash(middle, to, read, sha256));
      to = middle;
    } else {
      proof.push(rangeHash(from, middle, read, sha256));
      from = middle;
    }
  }
  if (earlier > 0 && from > 0) proof.push(rangeHash(from, to, read, sha256));
  return proof.reverse();
}

export interface Tree {
  size: number;
  root: string;
}

export function isIncluded(leaf: string, index: number, tree: Tree, proof: readonly string[], sha256: Sha256): boolean {
  if (index < 0 || index >= tree.size) return false;
  let hash = leaf;
  let at = index;
  let last = tree.size - 1;
  for (const next of proof) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(next, hash, sha256);
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, next, sha256);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash === tree.root;
}

export function isConsistent(earlier: Tree, tree: Tree, proof: readonly string[], sha256: Sha256): boolean {
  if (earlier.size > tree.size) return false;
  if (earlier.size === 0) return proof.length === 0 && earlier.root === sha256.of('');
  if (earlier.size === tree.size) return proof.length === 0 && earlier.root === tree.root;
  let at = earlier.size - 1;
  let last = tree.size - 1;
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  // An earlier tree that is one complete subtree is its own first hash.
  const [first, ...rest] = at === 0 ? [earlier.root, ...proof] : proof;
  if (first === undefined) return false;
  let before = first;
  let now = first;
  for (const next of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = nodeHash(next, before, sha256);
      now = nodeHash(next, now, sha256);
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else now = nodeHash(now, next, sha256);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && before === earlier.root && now === tree.root;
}

/** The hash of the leaves `from` to `to`, which begin at a multiple of the largest subtree in them. */
function rangeHash(from: number, to: number, read: ReadHash, sha256: Sha256): string {
  const level = Math.log2(to - from);
  if (Number.isInteger(level)) return read(positionOf(level, from));
  const middle = from + splitOf(to - from);
  return nodeHash(rangeHash(from, middle, read, sha256), rangeHash(middle, to, read, sha256), sha256);
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function putHex(bytes: Uint8Array, at: number, hex: string): void {
  for (let byte = 0; byte < 32; byte++) bytes[at + byte] = (nibble(hex, byte * 2) << 4) | nibble(hex, byte * 2 + 1);
}

function nibble(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code > 0x60 ? code - 0x57 : code - 0x30;
}
