import type net from 'node:net';
import { TachoError } from '../../protocol/index.ts';

/** Where input is written to. */
export interface InputSink {
  write(bytes: Buffer, taken: () => void): void;
  end(): void;
}

export interface InputWrite {
  bytes: Buffer;
  /** No more input follows. */
  end: boolean;
  /** A write with an id that was already used is not repeated. */
  writeId?: string | undefined;
}

export interface InputWritten {
  written: number;
  repeated: boolean;
}

const MAX_PENDING_BYTES = 4 * 1024 * 1024;
const MAX_REMEMBERED = 1024;

/** The input of a session. It accepts bytes at once, up to a limit, and passes them on as they are read. */
export class SessionInput {
  readonly #sink: InputSink;
  readonly #remembered = new Map<string, number>();
  #pendingBytes = 0;
  #ended = false;

  constructor(sink: InputSink) {
    this.#sink = sink;
  }

  /** A write that was made already. */
  findRepeated({ writeId }: InputWrite): InputWritten | null {
    const written = writeId === undefined ? undefined : this.#remembered.get(writeId);
    return written === undefined ? null : { written, repeated: true };
  }

  write(write: InputWrite): InputWritten {
    const { bytes, end, writeId } = write;
    const before = this.findRepeated(write);
    if (before) return before;
    if (this.#ended && bytes.length > 0) throw new TachoError('INVALID_PARAMS', 'the input of the session was ended');
    if (this.#pendingBytes + bytes.length > MAX_PENDING_BYTES) {
      throw new TachoError('RESOURCE_PRESSURE', 'the program does not read its input', {
        facts: { pending_bytes: this.#pendingBytes, most_bytes: MAX_PENDING_BYTES },
        fix: 'Write again when the program has read.',
      });
    }
    if (bytes.length > 0) this.#forward(bytes);
    if (end && !this.#ended) {
      this.#ended = true;
      this.#sink.end();
    }
    if (writeId !== undefined) this.#remember(writeId, bytes.length);
    return { written: bytes.length, repeated: false };
  }

  #forward(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    this.#sink.write(bytes, () => {
      this.#pendingBytes -= bytes.length;
    });
  }

  #remember(writeId: string, written: number): void {
    this.#remembered.set(writeId, written);
    // A map keeps insertion order: the first entry is the oldest.
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MAX_REMEMBERED) return;
      this.#remembered.delete(oldest);
    }
  }
}

/** Input that is written to a pipe. */
export function pipeInput(socket: net.Socket): SessionInput {
  return new SessionInput({ write: (bytes, taken) => socket.write(bytes, taken), end: () => socket.end() });
}
