import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineSplitter, TOO_LONG } from '../../terminal/line-splitter.ts';
import { PipedProgram } from '../../terminal/piped-program.ts';
import { endOrphans, endTree } from '../../terminal/processes/process-tree.ts';
import type { TerminalExit } from '../../terminal/terminal.ts';
import { FloodGuard } from './flood-guard.ts';
import { visibleLine } from './foreign-text.ts';
import { type Ending, FLOOD, MAX_MESSAGE_BYTES, type ServerTransport, TOO_LONG_MESSAGE } from './server-transport.ts';

/** How long a server gets to end by itself after its input was closed, and after SIGTERM. */
const EXIT_MS = 2000;
const KILL_GRACE_MS = 1000;
const STDERR_TAIL_BYTES = 4096;
const MAX_SHOWN = 400;
const LIST_CHANGED = 'notifications/tools/list_changed';

export interface StdioServer {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/**
 * A server that is started here and speaks over its streams. However much it sends, one message and the end of its
 * stderr are held at most; with its end, every process that it started ends.
 */
export class StdioTransport implements Transport, ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly guard = new FloodGuard();
  ending: Ending | null = null;
  readonly #server: StdioServer;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  #program: PipedProgram | null = null;
  #stderr = Buffer.alloc(0);
  /** The first line that was not a message. */
  #garbage: string | null = null;
  #starting: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(server: StdioServer) {
    this.#server = server;
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const program = await PipedProgram.start({
      ...this.#server,
      marker: randomUUID(),
      stdin: 'pipe',
      onOutput: (stream, bytes) => (stream === 'stdout' ? this.#takeOutput(bytes) : this.#takeStderr(bytes)),
    });
    this.#program = program;
    program.exited.then((exit) => {
      // Its last answer may be waiting in the pipe.
      if (!this.#closing) program.drain();
      this.#endBecause({ kind: 'unavailable', message: this.#describe(exit) });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closing || !this.#program) throw new Error('the server has ended');
    this.#program.input!.write(`${JSON.stringify(message)}\n`);
  }

  get transport(): Transport {
    return this;
  }

  /** Resolves when none of its processes is left. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  get lastWords(): string {
    const stderr = visibleLine(this.#stderr.toString('utf8'), MAX_SHOWN);
    if (stderr !== '') return `stderr: ${stderr}`;
    return this.#garbage === null ? '' : `it printed what is not MCP: ${JSON.stringify(this.#garbage)}`;
  }

  #takeOutput(bytes: Buffer): void {
    if (this.#closing) return;
    if (!this.guard.take({ bytes: bytes.length })) this.#endBecause(FLOOD);
    // The bytes are valid during this call only.
    for (const line of this.#lines.push(Buffer.from(bytes))) {
      if (this.#closing) return;
      if (line === TOO_LONG) this.#endBecause(TOO_LONG_MESSAGE);
      else if (!this.guard.take({ messages: 1 })) this.#endBecause(FLOOD);
      else this.#takeLine(line);
    }
  }

  #takeLine(line: Buffer): void {
    if (line.length === 0) return;
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      this.#garbage ??= visibleLine(line.subarray(0, 4 * MAX_SHOWN).toString('utf8'), MAX_SHOWN);
      return;
    }
    if (typeof message === 'object' && message !== null && isWanted(message)) this.onmessage?.(message as never);
  }

  #takeStderr(bytes: Buffer): void {
    if (!this.#closing && !this.guard.take({ bytes: bytes.length })) this.#endBecause(FLOOD);
    this.#stderr = Buffer.concat([this.#stderr, bytes.subarray(-STDERR_TAIL_BYTES)]).subarray(-STDERR_TAIL_BYTES);
  }

  /** Whoever waits for an answer gets none; the server is ended meanwhile. */
  #endBecause(ending: Ending): void {
    if (this.#closing) return;
    this.ending = ending;
    this.close().catch(() => {});
    this.#notifyClosed();
  }

  async #end(): Promise<void> {
    this.ending ??= { kind: 'unavailable', message: 'it was closed' };
    await this.#starting?.catch(() => {});
    const program = this.#program;
    try {
      if (program) await endProgram(program, this.ending === FLOOD || this.ending === TOO_LONG_MESSAGE ? 0 : EXIT_MS);
    } finally {
      program?.close();
      this.#notifyClosed();
    }
  }

  #notifyClosed(): void {
    const notify = this.onclose;
    delete this.onclose;
    notify?.();
  }

  #describe({ exitCode, signal }: TerminalExit): string {
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
    return `it ended ${how}${this.lastWords === '' ? '' : ` (${this.lastWords})`}`;
  }
}

async function endProgram(program: PipedProgram, waitMs: number): Promise<void> {
  program.input!.end();
  const timer = new AbortController();
  const timeout = pause(waitMs, false, { signal: timer.signal }).catch(() => false);
  const hasExited = await Promise.race([program.exited.then(() => true), timeout]);
  timer.abort();
  if (hasExited) await endOrphans(program.tree, KILL_GRACE_MS);
  else await endTree(program.tree, KILL_GRACE_MS);
}

/** Notifications that nothing here acts on, such as log messages, go no further. */
function isWanted(message: object): boolean {
  const { method, id } = message as { method?: unknown; id?: unknown };
  return method === undefined || id !== undefined || method === LIST_CHANGED;
}
