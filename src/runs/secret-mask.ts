import type { OutputStream, Redactions } from '../protocol/index.ts';

/** Bytes of one stream, all read at one time. */
export interface Segment {
  stream: OutputStream;
  bytes: Buffer;
  time: number;
  /** Offset of the first byte in the stream's payload. */
  from: number;
}

interface Secret {
  name: string;
  bytes: Buffer;
}

/** The end of a stream that may be the beginning of a secret, with the segments its bytes are in. */
interface Tail {
  bytes: Buffer;
  /** Offset in the stream of the tail's first byte. */
  from: number;
}

const STAR = 0x2a;

/** Hides bytes from parsers. Segments come out in the order in which they went in. */
export interface Mask {
  /** True while bytes are held back. */
  readonly holding: boolean;
  /** Segments that may go to the parser now. */
  push(stream: OutputStream, bytes: Buffer, time: number): Segment[];
  /** Everything held back, as it is. */
  release(): Segment[];
}

/**
 * Blanks the values of secrets, same length, in the bytes handed to parsers. A secret may be cut by chunk borders, so
 * an end of a stream that could be the beginning of one is held back – and everything read later with it, because
 * parsers see bytes in the order of reading – until the next bytes tell, or `release` gives up waiting.
 */
export class SecretMask implements Mask {
  readonly ranges: Redactions['ranges'] = [];
  readonly #secrets: Secret[];
  readonly #queue: Segment[] = [];
  readonly #tails = new Map<OutputStream, Tail>();
  readonly #offsets: Record<OutputStream, number> = { stdout: 0, stderr: 0, pty: 0 };

  constructor(secrets: readonly { name: string; value: string }[]) {
    this.#secrets = secrets.map(({ name, value }) => ({ name, bytes: Buffer.from(value) }));
  }

  get holding(): boolean {
    return this.#queue.length > 0;
  }

  /** Without secrets the segments are views of the argument. */
  push(stream: OutputStream, bytes: Buffer, time: number): Segment[] {
    const from = this.#offsets[stream];
    this.#offsets[stream] += bytes.length;
    if (this.#secrets.length === 0) return [{ stream, bytes, time, from }];
    this.#queue.push({ stream, bytes: Buffer.from(bytes), time, from });
    this.#search(stream, bytes, from);
    return this.#releaseReady();
  }

  /** Everything held back, unmasked: the rest of the secret did not come in time. */
  release(): Segment[] {
    return this.#queue.splice(0);
  }

  #search(stream: OutputStream, bytes: Buffer, from: number): void {
    const tail = this.#tails.get(stream);
    const all = tail ? Buffer.concat([tail.bytes, bytes]) : bytes;
    const start = tail ? tail.from : from;
    let searched = 0;
    for (;;) {
      const found = this.#firstSecret(all, searched);
      if (!found) break;
      this.#blank(stream, start + found.at, start + found.at + found.secret.bytes.length, found.secret.name);
      searched = found.at + found.secret.bytes.length;
    }
    const held = this.#possibleStart(all.subarray(searched));
    if (held === 0) this.#tails.delete(stream);
    else
      this.#tails.set(stream, { bytes: Buffer.from(all.subarray(all.length - held)), from: start + all.length - held });
  }

  #firstSecret(bytes: Buffer, from: number): { at: number; secret: Secret } | null {
    let first: { at: number; secret: Secret } | null = null;
    for (const secret of this.#secrets) {
      const at = bytes.indexOf(secret.bytes, from);
      if (at < 0) continue;
      const longer = first && at === first.at && secret.bytes.length > first.secret.bytes.length;
      if (!first || at < first.at || longer) first = { at, secret };
    }
    return first;
  }

  /** Length of the longest end of `bytes` that begins some secret. */
  #possibleStart(bytes: Buffer): number {
    let longest = 0;
    for (const secret of this.#secrets) {
      const most = Math.min(bytes.length, secret.bytes.length - 1);
      for (let length = most; length > longest; length--) {
        if (bytes.subarray(bytes.length - length).equals(secret.bytes.subarray(0, length))) longest = length;
      }
    }
    return longest;
  }

  /** Blanks what is still here of the range; what was released is out of reach and is not claimed to be masked. */
  #blank(stream: OutputStream, from: number, to: number, name: string): void {
    for (const segment of this.#queue) {
      if (segment.stream !== stream) continue;
      const first = Math.max(from, segment.from);
      const last = Math.min(to, segment.from + segment.bytes.length);
      if (first >= last) continue;
      segment.bytes.fill(STAR, first - segment.from, last - segment.from);
      this.ranges.push({ stream, byte_from: first, byte_to: last, name });
    }
  }

  #releaseReady(): Segment[] {
    const ready: Segment[] = [];
    while (this.#queue.length > 0) {
      const segment = this.#queue[0]!;
      const heldFrom = this.#tails.get(segment.stream)?.from ?? Number.POSITIVE_INFINITY;
      const certain = heldFrom - segment.from;
      if (certain >= segment.bytes.length) {
        ready.push(segment);
        this.#queue.shift();
        continue;
      }
      if (certain > 0) {
        ready.push({ ...segment, bytes: segment.bytes.subarray(0, certain) });
        this.#queue[0] = { ...segment, bytes: segment.bytes.subarray(certain), from: segment.from + certain };
      }
      return ready;
    }
    return ready;
  }
}
