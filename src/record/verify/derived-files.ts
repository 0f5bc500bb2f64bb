import { createConversation } from '../../conversation/index.ts';
import { CONVERSATION_FILE, DIAGNOSTICS_FILE, type RaspEvent, type Seal } from '../../protocol/index.ts';
import type { RecordFiles, RunningHash } from '../record-files.ts';

/**
 * Recreates the files that are derived from the events, and records their hashes at every sealed length. A recorder
 * that could not write one (a full disk) left a shorter one, never a different one.
 */
export class DerivedFiles {
  readonly #conversation;
  readonly #files: readonly DerivedFile[];

  constructor({ runId, sha256 }: RecordFiles, seals: Iterable<Seal>) {
    this.#conversation = createConversation({ run_id: runId });
    const sealed = [...seals].flatMap((seal) => seal.files);
    this.#files = [CONVERSATION_FILE, DIAGNOSTICS_FILE].map((name) => {
      const lengths = sealed.filter(({ path }) => path === name).map(({ bytes }) => bytes);
      return new DerivedFile(name, sha256.start(), new Set(lengths));
    });
  }

  take(event: RaspEvent): void {
    const [conversation, diagnostics] = this.#files;
    for (const message of this.#conversation.push(event)) conversation!.add(message);
    if (event.event.category === 'diagnostic') diagnostics!.add(event);
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

  add(value: object): void {
    if (this.#wanted.size === 0) return;
    const line = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    this.#hash.update(line);
    this.#bytes += line.length;
    this.#note();
  }

  #note(): void {
    if (this.#wanted.has(this.#bytes)) this.at.set(this.#bytes, this.#hash.digest());
  }
}
