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

/** Events of the run, after the one with this number. */
type ReadEvents = (afterSeq: number) => AsyncIterable<RaspEvent[]>;

/**
 * `parser_diagnostics.jsonl`: the diagnostics by themselves, for people who look for trouble first. It is derived, and
 * never holds a line whose predecessors are missing: what a crash or a full disk left out is added before anything else.
 */
export class DiagnosticsFile {
  readonly #path: string;
  readonly #read: ReadEvents;
  /** How long it is, unless somebody else writes to it. */
  #bytes = 0;
  /** The last event it was written for. */
  #upTo = 0;
  /** It may lack lines of earlier events: of an earlier attempt, or of one that did not fit on the disk. */
  #isBehind = true;

  constructor(auditFolder: string, read: ReadEvents) {
    this.#path = path.join(auditFolder, DIAGNOSTICS_FILE);
    this.#read = read;
  }

  /** To be called when the events are in the journal. */
  async append(events: readonly RaspEvent[]): Promise<void> {
    if (this.#isBehind) await this.#catchUp();
    else this.#add(events, (lines) => appendRegularFile(this.#path, lines));
  }

  /** Makes it again from all events when it is not what was written. */
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
    for await (const batch of this.#read(this.#upTo)) this.#add(batch, (lines) => this.#bringUp(lines));
    if ((sizeOfRegular(this.#path) ?? 0) > this.#bytes) this.#bringUp('');
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
      // What stands in the way is set aside once the program has ended.
      if (this.#isBehind) throw error;
    }
    this.#bytes += Buffer.byteLength(lines);
    this.#upTo = events.at(-1)?.seq ?? this.#upTo;
  }

  /** Keeps what the file holds of these lines, drops what follows, and adds the rest. */
  #bringUp(lines: string): void {
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

/** 0 where there is nothing, null where there is something else than a regular file. */
export function sizeOfRegular(file: string): number | null {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined ? 0 : stat.isFile() ? stat.size : null;
}
