import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeSha256 as sha256 } from '../../src/journal/index.ts';
import {
  addedHashes,
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  keptHashes,
  leafHash,
  rootOfLeaves,
  treeRoot,
} from '../../src/record/merkle.ts';

const entries = (count: number) => Array.from({ length: count }, (_, n) => new TextEncoder().encode(`entry ${n}`));

/** The root as defined in RFC 6962, section 2.1, directly from the entries. */
function rootByDefinition(list: readonly Uint8Array[]): string {
  const hash = (...parts: (Uint8Array | Buffer)[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const root = (part: readonly Uint8Array[]): Buffer => {
    if (part.length === 0) return hash();
    if (part.length === 1) return hash(Buffer.of(0), part[0]!);
    let split = 1;
    while (split * 2 < part.length) split *= 2;
    return hash(Buffer.of(1), root(part.slice(0, split)), root(part.slice(split)));
  };
  return root(list).toString('hex');
}

function grown(list: readonly Uint8Array[]) {
  const hashes: string[] = [];
  const read = (position: number) => hashes[position]!;
  list.forEach((entry, n) => {
    hashes.push(...addedHashes(leafHash(entry, sha256), n, read, sha256));
  });
  return { hashes, read, rootAt: (size: number) => treeRoot(size, read, sha256) };
}

const SIZES = 40;
const list = entries(SIZES);
const tree = grown(list);

describe('hash tree', () => {
  it('has the root that RFC 6962 defines, at every size', () => {
    for (let size = 0; size <= SIZES; size++) {
      const root = rootByDefinition(list.slice(0, size));
      const leaves = list.slice(0, size).map((entry) => leafHash(entry, sha256));
      expect(tree.rootAt(size), `${size} leaves`).toBe(root);
      expect(rootOfLeaves(leaves, sha256), `${size} leaves`).toBe(root);
    }
  });

  it('keeps only complete subtrees', () => {
    for (let size = 0; size <= SIZES; size++) {
      expect(grown(list.slice(0, size)).hashes).toHaveLength(keptHashes(size));
    }
  });

  it('proves every leaf of every size, and no other leaf', () => {
    for (let size = 1; size <= SIZES; size++) {
      const whole = { size, root: tree.rootAt(size) };
      for (let index = 0; index < size; index++) {
        const proof = inclusionProof(index, size, tree.read, sha256);
        const leaf = leafHash(list[index]!, sha256);
        expect(isIncluded(leaf, index, whole, proof, sha256), `${index} of ${size}`).toBe(true);
        expect(isIncluded(leafHash(new TextEncoder().encode('other'), sha256), index, whole, proof, sha256)).toBe(
          false,
        );
        expect(isIncluded(leaf, index + 1, whole, proof, sha256), `${index} passed off as its neighbour`).toBe(false);
        expect(isIncluded(leaf, index, whole, [...proof, leaf], sha256), 'proof with a surplus hash').toBe(false);
      }
    }
  });

  it('proves that it grew from every earlier size', () => {
    for (let size = 0; size <= SIZES; size++) {
      for (let earlier = 0; earlier <= size; earlier++) {
        const proof = consistencyProof(earlier, size, tree.read, sha256);
        const before = { size: earlier, root: tree.rootAt(earlier) };
        const now = { size, root: tree.rootAt(size) };
        expect(isConsistent(before, now, proof, sha256), `${earlier} in ${size}`).toBe(true);
      }
    }
  });

  it('detects a changed entry at any position', () => {
    const changes = fc.record({
      size: fc.integer({ min: 1, max: SIZES - 20 }),
      grownBy: fc.integer({ min: 0, max: 20 }),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(changes, ({ size, grownBy, at }) => {
        const forged = list.slice(0, size + grownBy);
        forged[at % size] = new TextEncoder().encode('forged');
        const other = grown(forged);
        const before = { size, root: tree.rootAt(size) };
        const now = { size: size + grownBy, root: other.rootAt(size + grownBy) };
        const proof = consistencyProof(size, size + grownBy, other.read, sha256);
        return !isConsistent(before, now, proof, sha256);
      }),
    );
  });

  it('refuses a proof with a changed, missing or added hash', () => {
    const cases = fc.record({ size: fc.integer({ min: 3, max: SIZES }), earlier: fc.nat(), at: fc.nat() });
    fc.assert(
      fc.property(cases, ({ size, earlier: some, at }) => {
        const earlier = 1 + (some % (size - 1));
        const proof = consistencyProof(earlier, size, tree.read, sha256);
        const before = { size: earlier, root: tree.rootAt(earlier) };
        const now = { size, root: tree.rootAt(size) };
        const spot = at % proof.length;
        const wrong = [
          proof.with(spot, leafHash(new Uint8Array(1), sha256)),
          proof.toSpliced(spot, 1),
          proof.toSpliced(spot, 0, proof[spot]!),
        ];
        return wrong.every((bad) => !isConsistent(before, now, bad, sha256));
      }),
    );
  });
});
