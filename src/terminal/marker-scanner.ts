/**
 * Passes a stream on up to a marker; drops the marker and everything after it. Bytes that may begin the marker are held
 * back until the next ones decide.
 */
export class MarkerScanner {
  readonly #marker: Buffer;
  #held: Buffer = Buffer.alloc(0);
  found = false;

  constructor(marker: Buffer) {
    this.#marker = marker;
  }

  /** The bytes that are certainly not the marker. */
  push(bytes: Buffer): Buffer {
    if (this.found) return Buffer.alloc(0);
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes;
    const at = all.indexOf(this.#marker);
    if (at >= 0) {
      this.found = true;
      this.#held = Buffer.alloc(0);
      return all.subarray(0, at);
    }
    const held = longestMarkerStart(all, this.#marker);
    this.#held = Buffer.from(all.subarray(all.length - held));
    return all.subarray(0, all.length - held);
  }

  /** Returns the bytes that were held back, when no marker will follow. */
  flush(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }
}

/** Length of the longest suffix of `bytes` that is a prefix of `marker`. */
function longestMarkerStart(bytes: Buffer, marker: Buffer): number {
  for (let length = Math.min(bytes.length, marker.length - 1); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(marker.subarray(0, length))) return length;
  }
  return 0;
}
