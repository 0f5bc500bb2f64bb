import type * as z from 'zod';
import type {
  CommandResult,
  createTerminalSchema,
  TerminalFrame,
  TerminalsAnswer,
  TerminalView,
  terminalCommandSchema,
} from '../protocol/index.ts';
import type { ReconnectOptions } from './reconnect.ts';
import type { RequestOptions } from './transport.ts';

export type NewTerminal = z.input<typeof createTerminalSchema>;
export type TerminalCommand = z.input<typeof terminalCommandSchema>;

/** Sessions of the terminal runtime, by their `terminal_id`. */
export interface TerminalsClient {
  list(options?: RequestOptions): Promise<TerminalsAnswer>;
  create(terminal: NewTerminal, options?: RequestOptions): Promise<TerminalView>;
  get(terminal: string, options?: RequestOptions): Promise<TerminalView>;
  /**
   * The screen, then all output, across lost connections. After a lost connection it continues from the
   * cursor, or starts over with `resume: "reset"`. Ends when the session has ended and everything was sent, or on abort.
   */
  follow(terminal: string, options?: ReconnectOptions): AsyncIterable<TerminalFrame>;
  input(terminal: string, keys: string | Uint8Array, options?: RequestOptions): Promise<void>;
  resize(terminal: string, size: { cols: number; rows: number }, options?: RequestOptions): Promise<void>;
  signal(terminal: string, signal: string, options?: RequestOptions): Promise<{ reached: number }>;
  /** Runs a command in a `shell` to its end. */
  run(terminal: string, command: TerminalCommand, options?: RequestOptions): Promise<CommandResult>;
  /** Ends the session with everything in it. */
  kill(terminal: string, options?: RequestOptions): Promise<TerminalView>;
}
