import fs from 'node:fs';
import * as z from 'zod';
import { errnoOf, openRegularFile, readRegularFile, writeWhole } from '../../files/index.ts';

/** A key that a client sent to start a run. */
const startKeySchema = z.strictObject({
  /** Hash of the key, so that every line has the same size. */
  key: z.string(),
  /** Hash of the request. */
  request: z.string(),
  run_id: z.string(),
  at: z.iso.datetime(),
  /** True until the run is on disk; a missing run was then never accepted. */
  pending: z.boolean(),
});
export type StartKey = z.infer<typeof startKeySchema>;

/** Enough for clients that retry overnight; after that, a key starts a new run. */
export const KEY_LIFETIME_MS = 24 * 3600 * 1000;
export const MAX_KEYS = 10_000;

/**
 * The keys of the last 24 hours, in a file that outlives the server: one line of JSON each, appended; the last line of
 * a key counts. Above the limit the oldest keys are dropped. Only the server of the data folder writes it.
 */
export class StartKeys {
  readonly #file: string;
  readonly #now: () => number;
  readonly #maxKeys: number;
  /** Oldest first. Read on first use. */
  #known: Map<string, StartKey> | null = null;
  #lines = 0;

  constructor(file: string, { now = Date.now, maxKeys = MAX_KEYS }: { now?: () => number; maxKeys?: number } = {}) {
    this.#file = file;
    this.#now = now;
    this.#maxKeys = maxKeys;
  }

  get(key: string): StartKey | null {
    const found = this.#load().get(key);
    return found && !this.#isExpired(found) ? found : null;
  }

  /** Returns when it is on disk. */
  put(entry: StartKey): void {
    const known = this.#load();
    known.delete(entry.key);
    known.set(entry.key, entry);
    for (const [key, oldest] of known) {
      if (known.size <= this.#maxKeys && !this.#isExpired(oldest)) break;
      known.delete(key);
    }
    if (this.#lines >= 2 * this.#maxKeys) this.#rewrite(known);
    else this.#append(entry);
  }

  #load(): Map<string, StartKey> {
    if (this.#known) return this.#known;
    const known = new Map<string, StartKey>();
    const text = this.#read();
    const lines = text.split('\n').filter(Boolean);
    for (const entry of lines.flatMap(parseLine)) {
      known.delete(entry.key);
      if (!this.#isExpired(entry)) known.set(entry.key, entry);
    }
    this.#lines = lines.length;
    // A crash may have cut off the last line: do not append to it.
    if (!text.endsWith('\n') && text !== '') this.#rewrite(known);
    this.#known = known;
    return known;
  }

  #read(): string {
    try {
      return readRegularFile(this.#file);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return '';
      throw error;
    }
  }

  #append(entry: StartKey): void {
    const fd = openRegularFile(this.#file, 'append');
    try {
      fs.appendFileSync(fd, lineOf(entry));
      fs.fdatasyncSync(fd);
      this.#lines += 1;
    } catch (error) {
      this.#known = null; // The file may now end with a partial line: read it again to repair it.
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  #rewrite(known: ReadonlyMap<string, StartKey>): void {
    writeWhole(this.#file, [...known.values()].map(lineOf).join(''), { durable: true });
    this.#lines = known.size;
  }

  #isExpired({ at }: StartKey): boolean {
    return this.#now() - Date.parse(at) >= KEY_LIFETIME_MS;
  }
}

function parseLine(line: string): StartKey[] {
  try {
    return [startKeySchema.parse(JSON.parse(line))];
  } catch {
    return []; // Cut off by a crash; its request was not answered.
  }
}

function lineOf(entry: StartKey): string {
  return `${JSON.stringify(entry)}\n`;
}
