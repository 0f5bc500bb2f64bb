import fs from 'node:fs';
import path from 'node:path';
import {
  appendRegularFile,
  isMachineTrouble,
  openRegularFile,
  readAt,
  setAside,
  type Touch,
} from '../../files/index.ts';
import { DIAGNOSTICS_FILE, type RaspEvent } from '../../protocol/index.ts';

/** Reads events of the run after the given number. */
type ReadEvents = (afterSeq: number) => AsyncIterable<RaspEvent[]>;

/**
 * `parser_diagnostics.jsonl`: only the diagnostics, for troubleshooting. It is derived, and never contains a line whose
 * predecessors are missing: lines lost in a crash or on a full disk are added before any others.
 */
export class DiagnosticsFile {
  readonly #path: string;
  readonly #read: ReadEvents;
  /** Expected size of the file. */
  #bytes = 0;
  /** The last event it was written for. */
  #upTo = 0;
  /** Lines of earlier events may be missing: of an earlier attempt, or because the disk was full. */
  #isBehind = true;

  constructor(auditFolder: string, read: ReadEvents) {
    this.#path = path.join(auditFolder, DIAGNOSTICS_FILE);
    this.#read = read;
  }

  /** Call it after the events are in the journal. */
  async append(events: readonly RaspEvent[]): Promise<void> {
    if (this.#isBehind) await this.#catchUp();
    else this.#add(events, (lines) => appendRegularFile(this.#path, lines));
  }

  /** Rebuilds it from all events if its content was changed. */
  async putBack(): Promise<Touch[]> {
    if (this.#isBehind) await this.#catchUp();
    if (sizeOfRegular(this.#path) === this.#bytes) return [];
    const what = setAside(this.#path) ? 'replaced' : 'removed';
    this.#bytes = 0;
    this.#upTo = 0;
    await this.#catchUp();
    return [{ path: this.#path, what }];
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = false;
    for await (const batch of this.#read(this.#upTo)) this.#add(batch, (lines) => this.#update(lines));
    if ((sizeOfRegular(this.#path) ?? 0) > this.#bytes) this.#update('');
  }

  #add(events: readonly RaspEvent[], write: (lines: string) => void): void {
    const lines = events
      .filter(({ event }) => event.category === 'diagnostic')
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('');
    try {
      if (lines !== '') write(lines);
    } catch (error) {
      this.#isBehind = isMachineTrouble(error);
      // The obstacle is moved aside after the program has ended.
      if (this.#isBehind) throw error;
    }
    this.#bytes += Buffer.byteLength(lines);
    this.#upTo = events.at(-1)?.seq ?? this.#upTo;
  }

  /** Keeps the lines that match, drops the rest of the file, and appends the missing lines. */
  #update(lines: string): void {
    const bytes = Buffer.from(lines);
    const fd = openRegularFile(this.#path, 'update');
    try {
      const { size } = fs.fstatSync(fd);
      if (bytes.length > 0 && readAt(fd, this.#bytes, bytes.length).equals(bytes)) return;
      if (size > this.#bytes) fs.ftruncateSync(fd, this.#bytes);
    } finally {
      fs.closeSync(fd);
    }
    if (bytes.length > 0) appendRegularFile(this.#path, lines);
  }
}

/** 0 if missing, null if it is not a regular file. */
export function sizeOfRegular(file: string): number | null {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined ? 0 : stat.isFile() ? stat.size : null;
}
