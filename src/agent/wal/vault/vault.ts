import { KeyedDigest } from './keyed-digest.ts';
import { PackFile } from './pack-file.ts';
import { createPieceWriter, keysInList, PIECE_BYTES, type RecordKind } from './pieces.ts';
import { vaultDamaged } from './vault-damage.ts';

/** The first byte of what is digested, and the kind in a record. */
const KINDS: Readonly<Record<RecordKind, number>> = { content: 0, pieces: 1 };
const SIGNED = 2;

/**
 * The private part of a run: what the model really saw, by keys that appear in the log. A key is an HMAC with a random
 * key of the run, so the log cannot be used to confirm a guess. One writer, which holds the lock of the run; readers see
 * what was there when they opened it.
 */
export class Vault {
  readonly #pack: PackFile;
  readonly #digest: KeyedDigest;

  private constructor(pack: PackFile) {
    this.#pack = pack;
    this.#digest = new KeyedDigest(pack.key);
  }

  /** For the holder of the run. `create`: it may be missing, because the run has no events yet. */
  static openToWrite(path: string, { create }: { create: boolean }): Vault {
    return new Vault(PackFile.openToWrite(path, { create }));
  }

  static openToRead(path: string): Vault {
    return new Vault(PackFile.openToRead(path));
  }

  /** Keeps the content, unless it is there already, and returns its key. Written when this returns; see `sync`. */
  put(content: Uint8Array): string {
    if (content.length <= PIECE_BYTES) return this.#keep('content', content);
    const pieces = createPieceWriter((kind, piece) => this.#keep(kind, piece));
    pieces.push(content);
    return pieces.end();
  }

  putJson(value: unknown): string {
    return this.put(Buffer.from(JSON.stringify(value) ?? 'null'));
  }

  /** The same for a content that arrives in chunks of any size, such as that of a file. */
  async putStream(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
    const pieces = createPieceWriter((kind, piece) => this.#keep(kind, piece));
    for await (const chunk of chunks) pieces.push(chunk);
    return pieces.end();
  }

  /** The key that a content has, or would have. Keeps nothing. */
  digest(content: string | Uint8Array): string {
    const isShort = typeof content === 'string' ? content.length * 3 <= PIECE_BYTES : content.length <= PIECE_BYTES;
    if (isShort) return this.#keyOf('content', content);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (bytes.length <= PIECE_BYTES) return this.#keyOf('content', bytes);
    const pieces = createPieceWriter((kind, piece) => this.#keyOf(kind, piece));
    pieces.push(bytes);
    return pieces.end();
  }

  has(key: string): boolean {
    return this.#pack.has(key);
  }

  /** Throws VAULT_DAMAGED if there is no such content or if it was changed. */
  get(key: string): Buffer {
    return Buffer.concat([...this.pieces(key)]);
  }

  getJson<T = unknown>(key: string): T {
    return JSON.parse(this.get(key).toString()) as T;
  }

  /** The content in pieces, each checked: a long one need not be in memory as a whole. */
  *pieces(key: string): Generator<Buffer, void, undefined> {
    const { kind, content } = this.#read(key);
    if (kind === 'content') yield content;
    else for (const piece of keysInList(content)) yield this.#read(piece).content;
  }

  /** Forces what was put so far to the disk. Null if all of it is there already. */
  sync(): Promise<void> | null {
    return this.#pack.sync();
  }

  close(): void {
    this.#pack.close();
  }

  /** MAC of a text that is not a content. */
  sign(text: string): string {
    return this.#digest.of(SIGNED, text);
  }

  #keep(kind: RecordKind, content: Uint8Array): string {
    const digest = this.#keyOf(kind, content);
    if (!this.#pack.has(digest)) this.#pack.add({ kind: KINDS[kind], digest, content });
    return digest;
  }

  #keyOf(kind: RecordKind, content: string | Uint8Array): string {
    return this.#digest.of(KINDS[kind], content);
  }

  #read(key: string): { kind: RecordKind; content: Buffer } {
    const record = this.#pack.read(key);
    if (record === null) throw vaultDamaged(this.#pack.path, `it has no content with the key ${key}`);
    const kind = record.kind === KINDS.pieces ? 'pieces' : 'content';
    if (this.#keyOf(kind, record.content) === key) return { kind, content: record.content };
    throw vaultDamaged(this.#pack.path, `the content with the key ${key} was changed`);
  }
}
