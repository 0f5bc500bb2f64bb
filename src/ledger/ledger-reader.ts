import { sign } from 'node:crypto';
import { nodeSha256 } from '../journal/index.ts';
import type { LedgerHead } from '../protocol/record/ledger.ts';
import { consistencyProof, inclusionProof, isIncluded, signedText, type Tree, treeRoot } from '../record/index.ts';
import type { SealKey } from '../recording/index.ts';
import { type Entered, firstEntry, walkEntries } from './entry-log.ts';
import { entriesOfRun } from './entry-places.ts';
import type { KeptHashes } from './kept-hashes.ts';

interface Opened {
  size: number;
  /** Of `entries.jsonl`. */
  entries: number;
  hashes: KeptHashes;
  folder: string;
}

/** The ledger while it is locked against appends. */
export class LedgerReader {
  readonly size: number;
  readonly #entries: number;
  readonly #hashes: KeptHashes;
  readonly #folder: string;

  constructor({ size, entries, hashes, folder }: Opened) {
    this.size = size;
    this.#entries = entries;
    this.#hashes = hashes;
    this.#folder = folder;
  }

  entries(): Generator<Entered> {
    return walkEntries(this.#entries);
  }

  entriesOf(runId: string, key: SealKey): Entered[] {
    return entriesOfRun(runId, { entries: this.#entries, size: this.size, folder: this.#folder, key });
  }

  get first(): Entered | null {
    return firstEntry(this.#entries);
  }

  tree(size = this.size): Tree {
    return { size, root: treeRoot(size, this.#hashes.read, nodeSha256) };
  }

  head({ id: key, privateKey }: SealKey): LedgerHead {
    const content = { ...this.tree(), key };
    return { ...content, signature: sign(null, Buffer.from(signedText(content)), privateKey).toString('base64url') };
  }

  inclusionOf(index: number): string[] {
    return inclusionProof(index, this.size, this.#hashes.read, nodeSha256);
  }

  consistencyWith(earlier: number): string[] {
    return consistencyProof(earlier, this.size, this.#hashes.read, nodeSha256);
  }

  /** Makes the kept hashes again if they do not lead from these entries to the root: a proof with them would not hold. */
  ensureIncluded(entered: readonly Entered[]): void {
    const tree = this.tree();
    const isIn = ({ entry: { n }, leaf }: Entered) => isIncluded(leaf, n, tree, this.inclusionOf(n), nodeSha256);
    if (!entered.every(isIn)) this.#hashes.rebuild(this.#entries);
  }
}
