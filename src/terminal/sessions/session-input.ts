import type net from 'node:net';
import { TachoError } from '../../protocol/index.ts';

/** Where input goes. */
export interface InputSink {
  write(bytes: Buffer, taken: () => void): void;
  end(): void;
}

export interface InputWrite {
  bytes: Buffer;
  /** Nothing more will be written. */
  end: boolean;
  /** The same id again is the same write, which is not done again. */
  writeId?: string | undefined;
}

export interface InputWritten {
  written: number;
  repeated: boolean;
}

const MOST_PENDING_BYTES = 4 * 1024 * 1024;
const MOST_REMEMBERED = 1024;

/** The input of a session. It takes bytes at once and hands them over as they are read, up to a limit. */
export class SessionInput {
  readonly #sink: InputSink;
  readonly #remembered = new Map<string, number>();
  #pendingBytes = 0;
  #ended = false;

  constructor(sink: InputSink) {
    this.#sink = sink;
  }

  write({ bytes, end, writeId }: InputWrite): InputWritten {
    const before = writeId === undefined ? undefined : this.#remembered.get(writeId);
    if (before !== undefined) return { written: before, repeated: true };
    if (this.#ended && bytes.length > 0) throw new TachoError('INVALID_PARAMS', 'the input of the session was ended');
    if (this.#pendingBytes + bytes.length > MOST_PENDING_BYTES) {
      throw new TachoError('RESOURCE_PRESSURE', 'the program does not read its input', {
        facts: { pending_bytes: this.#pendingBytes, most_bytes: MOST_PENDING_BYTES },
        fix: 'Write again when the program has read.',
      });
    }
    if (bytes.length > 0) this.#hand(bytes);
    if (end && !this.#ended) {
      this.#ended = true;
      this.#sink.end();
    }
    if (writeId !== undefined) this.#remember(writeId, bytes.length);
    return { written: bytes.length, repeated: false };
  }

  #hand(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    this.#sink.write(bytes, () => {
      this.#pendingBytes -= bytes.length;
    });
  }

  #remember(writeId: string, written: number): void {
    this.#remembered.set(writeId, written);
    // A map lists its entries in the order they came: the first is the oldest.
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) return;
      this.#remembered.delete(oldest);
    }
  }
}

/** Input that goes into a pipe. */
export function pipeInput(socket: net.Socket): SessionInput {
  return new SessionInput({ write: (bytes, taken) => socket.write(bytes, taken), end: () => socket.end() });
}
