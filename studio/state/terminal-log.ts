import type { StreamName } from '../../src/protocol/index.ts';
import { type LogLine, OutputLog } from '../model/terminals/output-log.ts';
import { Store } from './store.ts';

/** The output lines of a session, published at most once per frame. */
export class TerminalLog extends Store<readonly LogLine[]> {
  readonly #log = new OutputLog();
  #frame = 0;

  constructor() {
    super([]);
  }

  add(stream: StreamName, bytes: Uint8Array): void {
    this.#log.add(stream, bytes);
    this.#publish();
  }

  note(kind: 'command' | 'gap', text: string): void {
    this.#log.note(kind, text);
    this.#publish();
  }

  clear(): void {
    this.#log.clear();
    this.#publish();
  }

  #publish(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.set(this.#log.lines());
    });
  }
}
