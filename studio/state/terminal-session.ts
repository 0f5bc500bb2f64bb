import type { Client } from '../../src/client/index.ts';
import type { StreamName, TerminalFrame, TerminalView } from '../../src/protocol/index.ts';
import { base64Bytes } from '../model/bytes/base64-bytes.ts';
import { hasEnded } from '../model/terminals/terminal-facts.ts';
import { Store } from './store.ts';

export type TerminalConnection =
  | { phase: 'loading' }
  | { phase: 'live' }
  | { phase: 'reconnecting'; message: string }
  | { phase: 'ended' }
  | { phase: 'failed'; error: Error };

/** Displays the output of a session in order: the next piece comes when the returned promise resolves. */
export interface Shows {
  /** Discards what was shown before. */
  begin(terminal: TerminalView, snapshot: string): Promise<void> | void;
  output(stream: StreamName, bytes: Uint8Array): Promise<void> | void;
  gap(stream: StreamName, bytes: number): void;
  changed(terminal: TerminalView): Promise<void> | void;
}

/** A session of the runtime on the page: its facts, and the state of the connection. */
export class TerminalSession {
  readonly id: string;
  readonly client: Client;
  readonly terminal = new Store<TerminalView | null>(null);
  readonly connection = new Store<TerminalConnection>({ phase: 'loading' });
  /** Bytes missing on the screen. */
  readonly missing = new Store(0);
  readonly #ending = new AbortController();
  #following: AbortController | null = null;
  #shows: Shows | null = null;

  constructor(client: Client, id: string) {
    this.client = client;
    this.id = id;
  }

  /** Determines the kind of the session, on which its display depends. */
  async start(): Promise<void> {
    const { signal } = this.#ending;
    try {
      this.terminal.set(await this.client.terminals.get(this.id, { signal }));
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  close(): void {
    this.#ending.abort();
    this.#following?.abort();
  }

  /** Shows the screen and all new output, until it is stopped. */
  follow(shows: Shows): () => void {
    this.#shows = shows;
    void this.#follow(shows);
    return () => {
      if (this.#shows === shows) this.#shows = null;
      this.#following?.abort();
    };
  }

  /** Requests the current screen, after a gap. */
  redraw(): void {
    if (this.#shows) void this.#follow(this.#shows);
  }

  /** Ends it. The response is its final state: its daemon forgets it afterwards. */
  async kill(): Promise<void> {
    this.terminal.set(await this.client.terminals.kill(this.id));
  }

  async #follow(shows: Shows): Promise<void> {
    this.#following?.abort();
    this.#following = new AbortController();
    const { signal } = this.#following;
    let isFirst = true;
    try {
      const frames = this.client.terminals.follow(this.id, {
        signal,
        onRetry: ({ error }) => this.connection.set({ phase: 'reconnecting', message: error.message }),
      });
      for await (const frame of frames) {
        if (signal.aborted) return;
        await this.#take(frame, shows, isFirst);
        isFirst = false;
      }
      if (!signal.aborted) this.connection.set({ phase: 'ended' });
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  async #take({ frame, data }: TerminalFrame, shows: Shows, isFirst: boolean): Promise<void> {
    switch (frame) {
      case 'terminal.opened':
        this.#know(data.terminal);
        if (!isFirst && data.resume === 'ok') return;
        this.missing.set(0);
        return await shows.begin(data.terminal, data.snapshot ?? '');
      case 'terminal.output':
        return await shows.output(data.stream, bytesOf(data));
      case 'terminal.gap':
        this.missing.set(this.missing.get() + data.to - data.from);
        return shows.gap(data.stream, data.to - data.from);
      case 'terminal.changed':
        this.#know(data);
        return await shows.changed(data);
    }
  }

  #know(terminal: TerminalView): void {
    // Keep the known end: the daemon reports less about a forgotten session than about one that was just killed.
    this.terminal.set({ ...terminal, end: terminal.end ?? this.terminal.get()?.end ?? null });
    // An ended session may still have output.
    if (!hasEnded(terminal)) this.connection.set({ phase: 'live' });
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (!signal.aborted) this.connection.set({ phase: 'failed', error: error as Error });
  }
}

function bytesOf({ data, encoding }: { data: string; encoding: 'utf8' | 'base64' }): Uint8Array {
  return encoding === 'base64' ? base64Bytes(data) : new TextEncoder().encode(data);
}
