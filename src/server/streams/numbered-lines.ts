import type { FileHandle } from 'node:fs/promises';
import { openRegularHandle } from '../../files/index.ts';
import { completeLines } from '../../journal/file/complete-lines.ts';
import { LogWatcher } from '../../journal/file/log-watcher.ts';
import type { JournalLine, LineOptions, ReadBuffer, TailOptions } from '../../journal/index.ts';

/** The offset of every 256th line is remembered. */
const MARK_EVERY = 256;

interface Place {
  /** Number of lines before it. */
  seq: number;
  offset: number;
}

/** A growing file whose line N is event N. Incomplete lines are ignored. */
export class NumberedLines {
  readonly path: string;
  /** Offset of line `index * MARK_EVERY + 1`, as far as the file has been read. */
  readonly #marks: number[] = [0];

  constructor(path: string) {
    this.path = path;
  }

  async *read(afterSeq: number, { reuse }: LineOptions = {}): AsyncGenerator<JournalLine[], void, undefined> {
    const handle = await openIfThere(this.path);
    if (handle === null) return;
    try {
      for await (const { lines } of this.#from(handle, this.#placeBefore(afterSeq), reuse)) {
        const fresh = lines.filter(({ seq }) => seq > afterSeq);
        if (fresh.length > 0) yield fresh;
      }
    } finally {
      await handle.close();
    }
  }

  /** Starts watching before it reads, so that no line is missed. */
  async *tail(
    afterSeq: number,
    { signal, reuse }: TailOptions & LineOptions,
  ): AsyncGenerator<JournalLine[], void, undefined> {
    const watcher = new LogWatcher(this.path);
    let handle: FileHandle | null = null;
    try {
      let place = this.#placeBefore(afterSeq);
      while (!signal?.aborted) {
        handle ??= await openIfThere(this.path);
        if (handle !== null) {
          watcher.watchFile();
          for await (const { lines, end } of this.#from(handle, place, reuse)) {
            place = end;
            const fresh = lines.filter(({ seq }) => seq > afterSeq);
            if (fresh.length > 0) yield fresh;
            if (signal?.aborted) return;
          }
        }
        await watcher.wait(signal);
      }
    } finally {
      watcher.close();
      await handle?.close();
    }
  }

  #placeBefore(afterSeq: number): Place {
    const mark = Math.min(Math.floor(afterSeq / MARK_EVERY), this.#marks.length - 1);
    return { seq: mark * MARK_EVERY, offset: this.#marks[mark]! };
  }

  async *#from(
    handle: FileHandle,
    place: Place,
    reuse: ReadBuffer | undefined,
  ): AsyncGenerator<{ lines: JournalLine[]; end: Place }> {
    let { seq } = place;
    for await (const found of completeLines(handle, place.offset, { reuse })) {
      const lines = found.map(({ bytes, byteTo }) => {
        seq++;
        if (seq % MARK_EVERY === 0 && seq === this.#marks.length * MARK_EVERY) this.#marks.push(byteTo);
        return { seq, bytes };
      });
      yield { lines, end: { seq, offset: found.at(-1)!.byteTo } };
    }
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegularHandle(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
