import readline from 'node:readline';
import { canRewrite } from '../output/terminal-abilities.ts';
import { OwnTerminal } from '../terminal/own-terminal.ts';

interface LineQuestion<T> {
  prompt: string;
  /** Parses a line; null asks again. */
  read(line: string): T | null;
  /** Printed before the first prompt, once keys are read. */
  hint?: string;
  /** Aborts when the question is no longer open. */
  signal?: AbortSignal;
}

/** Asks the user at our terminal, one question at a time. */
export class LinePrompt {
  #reader: readline.Interface | null = null;

  /** True when the user can be asked: both streams are a terminal, and this is not a background job. */
  static canAsk(): boolean {
    return Boolean(process.stdout.isTTY) && OwnTerminal.hasKeyboard();
  }

  /** The answer; null for Ctrl-C, Ctrl-D or the signal, after which the cursor is on a new line. */
  async ask<T>({ prompt, read, hint = '', signal }: LineQuestion<T>): Promise<T | null> {
    const { stdin: input, stdout: output } = process;
    const reader = readline.createInterface({ input, output, prompt, terminal: canRewrite(output), historySize: 0 });
    this.#reader = reader;
    let leave = (): void => {};
    try {
      return await new Promise<T | null>((resolve) => {
        leave = () => {
          output.write('\n');
          resolve(null);
        };
        // In line mode Ctrl-C is a signal.
        process.once('SIGINT', leave);
        signal?.addEventListener('abort', leave);
        reader.once('SIGINT', leave).once('close', leave);
        reader.on('line', (line) => {
          const answer = read(line);
          if (answer === null) reader.prompt();
          else resolve(answer);
        });
        output.write(hint);
        reader.prompt();
        if (signal?.aborted) leave();
      });
    } finally {
      process.off('SIGINT', leave);
      signal?.removeEventListener('abort', leave);
      reader.off('SIGINT', leave).off('close', leave);
      this.#reader = null;
      reader.close();
      // A paused terminal does not keep the process alive.
      input.pause();
    }
  }

  /** Prints text above the current question. */
  above(write: () => void): void {
    const reader = this.#reader;
    if (reader && canRewrite(process.stdout)) {
      readline.cursorTo(process.stdout, 0);
      readline.clearScreenDown(process.stdout);
    }
    write();
    reader?.prompt(true);
  }
}
