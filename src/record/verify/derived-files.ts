import { createConversation } from '../../conversation/index.ts';
import { CONVERSATION_FILE, DIAGNOSTICS_FILE, type RaspEvent, type Seal } from '../../protocol/index.ts';
import { foldBatch } from '../output/fold-batch.ts';
import type { RecordFiles, RunningHash } from '../record-files.ts';

/**
 * Recreates the files that are derived from the events, and records their hashes at every sealed length. A recorder
 * that could not write one (a full disk) left a shorter one, never a different one.
 */
export class DerivedFiles {
  readonly #conversation;
  readonly #record: RecordFiles;
  readonly #files: readonly DerivedFile[];

  constructor(record: RecordFiles, seals: Iterable<Seal>) {
    const { runId, sha256 } = record;
    this.#record = record;
    this.#conversation = createConversation({ run_id: runId });
    const sealed = [...seals].flatMap((seal) => seal.files);
    this.#files = [CONVERSATION_FILE, DIAGNOSTICS_FILE].map((name) => {
      const lengths = sealed.filter(({ path }) => path === name).map(({ bytes }) => bytes);
      return new DerivedFile(name, sha256.start(), new Set(lengths));
    });
  }

  async take(events: readonly RaspEvent[]): Promise<void> {
    const [conversation, diagnostics] = this.#files;
    if (conversation!.isWanted) {
      for (const message of await foldBatch(this.#conversation, events, this.#record)) conversation!.add(message);
    }
    for (const event of events) if (event.event.category === 'diagnostic') diagnostics!.add(event);
  }

  get hashes(): ReadonlyMap<string, ReadonlyMap<number, string>> {
    return new Map(this.#files.map(({ name, at }) => [name, at]));
  }
}

class DerivedFile {
  readonly name: string;
  readonly at = new Map<number, string>();
  readonly #hash: RunningHash;
  readonly #wanted: ReadonlySet<number>;
  #bytes = 0;

  constructor(name: string, hash: RunningHash, wanted: ReadonlySet<number>) {
    this.name = name;
    this.#hash = hash;
    this.#wanted = wanted;
    this.#note();
  }

  /** False when no seal covers it. */
  get isWanted(): boolean {
    return this.#wanted.size > 0;
  }

  add(value: object): void {
    if (!this.isWanted) return;
    const line = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    this.#hash.update(line);
    this.#bytes += line.length;
    this.#note();
  }

  #note(): void {
    if (this.#wanted.has(this.#bytes)) this.at.set(this.#bytes, this.#hash.digest());
  }
}
