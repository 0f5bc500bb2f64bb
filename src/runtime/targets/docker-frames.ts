const HEADER_BYTES = 8;

export interface DockerFrame {
  stream: 'stdout' | 'stderr';
  bytes: Buffer;
}

/** Separates the two streams of a program without a terminal, which the Docker API multiplexes in frames. */
export class DockerFrames {
  #header = Buffer.alloc(0);
  #stream: DockerFrame['stream'] = 'stdout';
  #left = 0;

  /** The parts of frames in these bytes, which may be cut anywhere. */
  push(bytes: Buffer): DockerFrame[] {
    const frames: DockerFrame[] = [];
    for (let from = 0; from < bytes.length; ) {
      if (this.#left === 0) {
        const missing = bytes.subarray(from, from + HEADER_BYTES - this.#header.length);
        this.#header = Buffer.concat([this.#header, missing]);
        from += missing.length;
        if (this.#header.length === HEADER_BYTES) this.#begin();
        continue;
      }
      const part = bytes.subarray(from, from + this.#left);
      frames.push({ stream: this.#stream, bytes: part });
      from += part.length;
      this.#left -= part.length;
    }
    return frames;
  }

  #begin(): void {
    this.#stream = this.#header[0] === 2 ? 'stderr' : 'stdout';
    this.#left = this.#header.readUInt32BE(4);
    this.#header = Buffer.alloc(0);
  }
}
