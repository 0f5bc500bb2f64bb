import { StringDecoder } from 'node:string_decoder';

/** Of one agent; a log that one agent can fill is of no use to the others. */
const MAX_CHARS = 64 * 1024;
const TAIL_CHARS = 2000;

/** The diagnostic output of an agent: whole lines with its id, up to a limit. */
export class ChildStderr {
  readonly #runId: string;
  readonly #report: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';
  #left = MAX_CHARS;
  #tail = '';

  constructor(runId: string, report: (text: string) => void) {
    this.#runId = runId;
    this.#report = report;
  }

  /** The end of it, for errors. */
  get tail(): string {
    return `${this.#tail}${this.#line}`.slice(-TAIL_CHARS).trim();
  }

  push(bytes: Buffer): void {
    const lines = `${this.#line}${this.#decoder.write(bytes)}`.split('\n');
    this.#line = lines.pop()!;
    for (const line of lines) this.#take(line);
    if (this.#line.length > TAIL_CHARS) this.end();
  }

  end(): void {
    if (this.#line !== '') this.#take(this.#line);
    this.#line = '';
  }

  #take(line: string): void {
    this.#tail = `${this.#tail}${line}\n`.slice(-TAIL_CHARS);
    if (this.#left <= 0) return;
    this.#left -= line.length + 1;
    this.#report(`agent ${this.#runId}: ${line.slice(0, TAIL_CHARS)}\n`);
    if (this.#left <= 0) this.#report(`agent ${this.#runId}: further output is left out\n`);
  }
}
