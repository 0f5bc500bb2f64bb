import readline from 'node:readline';
import { canRewrite } from '../output/terminal-abilities.ts';
import { OwnTerminal } from '../terminal/own-terminal.ts';

interface LineQuestion<T> {
  prompt: string;
  /** What a line means; null asks again. */
  read(line: string): T | null;
  /** Written before the first prompt, when keys are taken already. */
  hint?: string;
  /** There is nothing to ask any more. */
  signal?: AbortSignal;
}

/** Asks the person at our own terminal, one question at a time. */
export class LinePrompt {
  #reader: readline.Interface | null = null;

  /** Somebody can be asked: both ends are a terminal, and this is not a background job. */
  static canAsk(): boolean {
    return Boolean(process.stdout.isTTY) && OwnTerminal.hasKeyboard();
  }

  /** What was answered; null for Ctrl-C, Ctrl-D or the signal, after which a new line is begun. */
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

  /** Writes something above the question that is being asked. */
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
