import { TachoError } from '../../protocol/index.ts';

/** The two streams of a terminal, such as those of the process. */
export interface TerminalStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

export function checkTerminal({ input, output }: TerminalStreams, what: string): void {
  if (input.isTTY && output.isTTY) return;
  throw new TachoError('USAGE', `${what} needs a terminal for input and output`, {
    fix: 'Decide by rules, by a callback, or later from another process.',
  });
}

/** Text of a program or a model, without characters that a terminal would obey or that hide others. */
export function plainText(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|[^\P{Z} ]/gu, (character) => {
    return character === '\t' ? ' ' : `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** Runs one after the other: two questions at once could not be told apart on a terminal. */
export function createTurns(): <T>(turn: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (turn) => {
    const next = last.then(turn, turn);
    last = next.catch(() => {});
    return next;
  };
}

/** The next key. Rejects with the reason of the signal; null at the end of the input. */
export function readKey({ input }: TerminalStreams, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const finish = (settle: () => void): void => {
      input.off('data', onData);
      input.off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
      input.setRawMode?.(false);
      input.pause();
      settle();
    };
    const onData = (data: Buffer | string): void => finish(() => resolve([...data.toString()][0] ?? ''));
    const onEnd = (): void => finish(() => resolve(null));
    const onAbort = (): void => finish(() => reject(signal.reason));
    input.on('data', onData);
    input.on('end', onEnd);
    signal.addEventListener('abort', onAbort);
    input.setRawMode?.(true);
    input.resume();
  });
}
