import type { AgentEvent } from '../../protocol/index.ts';

/** Prints events as lines, exactly as the log has them, one after the other. */
export class LinePrinter {
  readonly #output: NodeJS.WritableStream;
  #last: Promise<void> = Promise.resolve();

  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
  }

  /** Resolves when the line is with the reader, so that a slow one is not flooded. */
  print(event: AgentEvent): Promise<void> {
    const line = `${JSON.stringify(event)}\n`;
    const printed = new Promise<void>((resolve) => this.#output.write(line, () => resolve()));
    this.#last = printed;
    return printed;
  }

  /** Resolves when everything is printed. */
  flushed(): Promise<void> {
    return this.#last;
  }
}
