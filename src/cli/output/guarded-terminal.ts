import { QueryFilter } from '../../terminal/safe-output/query-filter.ts';
import { TerminalModes } from '../terminal/terminal-modes.ts';

type Write = NodeJS.WriteStream['write'];

/** The original write function of each guarded stream. */
const writeOf = new WeakMap<NodeJS.WriteStream, Write>();
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const CONTROL = /[\u001b\u0080-\u009f]/;

/**
 * From now on, output of a command cannot make its terminal answer: answers would arrive as typed input, at a shell
 * prompt as a command. Files and pipes get the exact bytes. Bytes are a program's output, and mode changes in them are
 * undone at every exit; strings are our own text, without C1 controls.
 */
export function guardTerminals(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.isTTY && !writeOf.has(stream)) guard(stream);
  }
}

/** Bypasses the guard, for a program that receives the answers itself, as in a terminal without tacho. */
export function writeLive(to: NodeJS.WriteStream, bytes: Uint8Array | string): Promise<void> {
  const write = writeOf.get(to) ?? to.write.bind(to);
  return new Promise((resolve) => void write(bytes, () => resolve()));
}

function guard(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as Write;
  const filter = new QueryFilter();
  const shown = new ShownBytes((back) => write(Buffer.concat([filter.end(), Buffer.from(back)])));
  writeOf.set(stream, write);
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    const encoding = more.find((one) => typeof one === 'string') as BufferEncoding | undefined;
    const done = more.find((one) => typeof one === 'function') as (() => void) | undefined;
    const bytes = typeof chunk === 'string' ? Buffer.from(escapeC1(chunk), encoding) : chunk;
    const passed = filter.write(bytes);
    if (typeof chunk !== 'string') shown.pass(passed);
    return write(passed, done);
  }) as Write;
}

/** Tracks a program's output, to restore the terminal's modes afterwards. */
class ShownBytes {
  readonly #modes = new TerminalModes();
  readonly #giveBack: (back: string) => void;
  #changed = false;

  constructor(giveBack: (back: string) => void) {
    this.#giveBack = giveBack;
  }

  pass(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    this.#modes.pass(text);
    if (this.#changed || !CONTROL.test(text)) return;
    this.#changed = true;
    // Node writes to a terminal synchronously, so this works during exit.
    process.once('exit', () => this.#end());
    for (const signal of SIGNALS) process.prependListener(signal, this.#endBy);
  }

  /** Without another listener, the signal would end the process at once. */
  #endBy = (signal: NodeJS.Signals): void => {
    if (process.listeners(signal).some((one) => one !== this.#endBy)) return;
    process.off(signal, this.#endBy);
    this.#end();
    process.kill(process.pid, signal);
  };

  #end(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#giveBack(this.#modes.reset());
  }
}

/** Equivalent in JSON; makes them visible in other text. */
function escapeC1(text: string): string {
  return text.replaceAll(/[\u007f-\u009f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}
