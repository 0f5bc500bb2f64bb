import { createHash } from 'node:crypto';
import fs from 'node:fs';
import tty from 'node:tty';
import { openRegularFile } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';

const PIECE_BYTES = 256 * 1024;
const POLL_INTERVAL_MS = 10;
/** What a shell passes for `<(command)`: a pipe that is open already. */
const OPEN_DESCRIPTOR = /^(\/dev\/stdin|\/(dev|proc\/self)\/fd\/\d+)$/;

/** A file to import, as it was given. */
export interface SourceFacts {
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * A log to import, read once from its beginning to its end, or to a look at its beginning. Never waits for a named pipe
 * or a device.
 */
export class ByteSource {
  readonly path: string;
  readonly #fd: number;
  readonly #isFile: boolean;
  readonly #hash = createHash('sha256');
  /** Read ahead, and not taken yet. */
  #head: Buffer = Buffer.alloc(0);
  #position = 0;
  #taken = 0;

  /** `-` is standard input. */
  constructor(path: string, open = openGiven) {
    this.path = path;
    try {
      this.#fd = open(path);
    } catch (cause) {
      throw unreadable(path, (cause as Error).message, cause);
    }
    const stat = fs.fstatSync(this.#fd);
    this.#isFile = stat.isFile();
    const problem = this.#isFile ? null : describeProblem(path, this.#fd, stat);
    if (problem === null) return;
    this.close();
    throw unreadable(path, problem);
  }

  /** A file of a folder that another program wrote: not a link, a pipe or a device. */
  static ofRegular(path: string): ByteSource {
    return new ByteSource(path, openRegularFile);
  }

  /** Whether it can be read more than once. */
  get isFile(): boolean {
    return this.#isFile;
  }

  /** The first bytes, at most `length`; they are still to be taken. */
  peek(length: number): Buffer {
    while (this.#head.length < length) {
      const more = this.#read(length - this.#head.length);
      if (more.length === 0) break;
      this.#head = Buffer.concat([this.#head, more]);
    }
    return this.#head;
  }

  /** All bytes in pieces, each valid until the next one. */
  *pieces(): Generator<Buffer> {
    for (;;) {
      const piece = this.#head.length > 0 ? this.#head : this.#read(PIECE_BYTES);
      this.#head = Buffer.alloc(0);
      if (piece.length === 0) return;
      this.#taken += piece.length;
      this.#hash.update(piece);
      yield piece;
    }
  }

  /** After all bytes were taken. */
  facts(): SourceFacts {
    return { path: this.path, bytes: this.#taken, sha256: this.#hash.copy().digest('hex') };
  }

  /** Standard input stays open. */
  close(): void {
    if (this.#fd !== 0) fs.closeSync(this.#fd);
  }

  #read(length: number): Buffer {
    const piece = Buffer.allocUnsafe(Math.min(length, PIECE_BYTES));
    for (;;) {
      try {
        const read = fs.readSync(this.#fd, piece, 0, piece.length, this.#isFile ? this.#position : null);
        this.#position += read;
        return piece.subarray(0, read);
      } catch (error) {
        // A pipe without data yet.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_INTERVAL_MS);
      }
    }
  }
}

/** A file that the user names, who may name a link. */
function openGiven(path: string): number {
  return path === '-' ? 0 : fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
}

/** Why it cannot be imported; null if it can, such as a pipe that is open already. */
function describeProblem(path: string, fd: number, stat: fs.Stats): string | null {
  if (stat.isDirectory()) return 'it is a folder';
  const isGiven = path === '-' || OPEN_DESCRIPTOR.test(path);
  if (stat.isFIFO() || stat.isSocket()) return isGiven ? null : 'it is a named pipe or socket, which may never end';
  if (stat.isCharacterDevice() && ((isGiven && tty.isatty(fd)) || isNullDevice(stat))) return null;
  return 'it is a device';
}

function isNullDevice({ rdev }: fs.Stats): boolean {
  return ((rdev >> 8) & 0xfff) === 1 && (rdev & 0xff) === 3;
}

function unreadable(path: string, problem: string, cause?: unknown): TachoError {
  return new TachoError('IMPORT_FAILED', `${path} cannot be read: ${problem}`, {
    facts: { path },
    ...(cause === undefined ? {} : { cause }),
    fix: 'Give the path of a log; - reads standard input.',
  });
}
