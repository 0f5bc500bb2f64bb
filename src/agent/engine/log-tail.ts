import { errnoOf, openRegularHandle } from '../../files/index.ts';

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Whole lines of a growing file, from a position on. */
export class LogTail {
  readonly #file: string;
  #offset: number;

  constructor(file: string, offset: number) {
    this.#file = file;
    this.#offset = offset;
  }

  /** Where the next line begins. */
  get offset(): number {
    return this.#offset;
  }

  /** Calls `use` with each line that is complete by now. A file that is not there yet has none. */
  async read(use: (line: string) => Promise<void>): Promise<void> {
    const handle = await openRegularHandle(this.#file).catch((error: unknown) => {
      if (errnoOf(error) === undefined) throw error;
      return null;
    });
    if (!handle) return;
    try {
      let rest = Buffer.alloc(0);
      for (;;) {
        const from = this.#offset + rest.length;
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, from);
        if (bytesRead === 0) return;
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
          await use(rest.toString('utf8', 0, end));
          this.#offset += end + 1;
          rest = rest.subarray(end + 1);
        }
      }
    } finally {
      await handle.close();
    }
  }
}
