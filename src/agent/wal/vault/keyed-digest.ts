import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const SCRATCH_BYTES = 16 * 1024;

/**
 * HMAC-SHA-256 of a kind and a content. Most contents are short and there are several for each step of a run, so those
 * are computed by two plain hashes, as HMAC is defined: a third of the time that an object of its own takes.
 */
export class KeyedDigest {
  readonly #key: Buffer;
  readonly #inner = Buffer.alloc(SCRATCH_BYTES);
  readonly #outer = Buffer.alloc(BLOCK_BYTES + 32);

  /** The key must not be longer than 64 bytes. */
  constructor(key: Buffer) {
    this.#key = key;
    for (let at = 0; at < BLOCK_BYTES; at++) {
      const byte = at < key.length ? key[at]! : 0;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  of(kind: number, content: string | Uint8Array): string {
    const room = SCRATCH_BYTES - BLOCK_BYTES - 1;
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if ((typeof content === 'string' ? content.length * 3 : content.length) > room) return this.#slow(kind, content);
    this.#inner[BLOCK_BYTES] = kind;
    const from = BLOCK_BYTES + 1;
    let to = from;
    if (typeof content === 'string') to += this.#inner.write(content, from);
    else {
      this.#inner.set(content, from);
      to += content.length;
    }
    this.#outer.write(hash('sha256', this.#inner.subarray(0, to)), BLOCK_BYTES, 'hex');
    return hash('sha256', this.#outer);
  }

  #slow(kind: number, content: string | Uint8Array): string {
    return createHmac('sha256', this.#key)
      .update(Buffer.from([kind]))
      .update(content)
      .digest('hex');
  }
}
