import fs from 'node:fs';
import path from 'node:path';
import { appendRegularFile, isMachineTrouble, setAside, type Touch } from '../../files/index.ts';
import { DIAGNOSTICS_FILE, type RaspEvent } from '../../protocol/index.ts';

/** `parser_diagnostics.jsonl`: the diagnostics by themselves, for people who look for trouble first. It is derived. */
export class DiagnosticsFile {
  readonly #path: string;
  /** How long it is, unless somebody else writes to it. */
  #bytes: number;

  constructor(auditFolder: string) {
    this.#path = path.join(auditFolder, DIAGNOSTICS_FILE);
    this.#bytes = sizeOfRegular(this.#path) ?? 0;
  }

  append(events: readonly RaspEvent[]): void {
    const lines = events
      .filter(({ event }) => event.category === 'diagnostic')
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('');
    if (lines === '') return;
    try {
      appendRegularFile(this.#path, lines);
    } catch (error) {
      // What stands in the way is set aside once the program has ended.
      if (isMachineTrouble(error)) throw error;
    }
    this.#bytes += Buffer.byteLength(lines);
  }

  /** Makes it again from all events when it is not what was written. */
  async putBack(events: AsyncIterable<RaspEvent[]>): Promise<Touch[]> {
    if (sizeOfRegular(this.#path) === this.#bytes) return [];
    const what = setAside(this.#path) ? 'replaced' : 'removed';
    this.#bytes = 0;
    for await (const batch of events) this.append(batch);
    return [{ path: this.#path, what }];
  }
}

/** 0 where there is nothing, null where there is something else than a regular file. */
export function sizeOfRegular(file: string): number | null {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined ? 0 : stat.isFile() ? stat.size : null;
}
