import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxRequest, SessionInfo } from '../../protocol/index.ts';
import { decodeBytes } from '../../terminal/index.ts';
import { explainFailedEntry } from '../../tools/commands/failed-entry.ts';
import {
  type ExecRequest,
  type RuntimePort,
  type StdinRequest,
  type TerminalOutput,
  ToolFailure,
} from '../../tools/index.ts';
import { findServer } from '../daemon/ensure-server.ts';
import { type KeptEnds, OutputEnds } from './output-ends.ts';
import { TerminalClient, type TerminalClientOptions } from './terminal-client.ts';
import { callCancelled, noSuchTerminal, terminalFailure } from './terminal-failure.ts';
import {
  BUFFER_BYTES,
  exitCodeOf,
  hasSandbox,
  isOfAgent,
  isSessionId,
  namePrefix,
  sandboxRequest,
  sessionRequest,
  type TerminalSandbox,
  writeId,
} from './terminal-session.ts';

export interface TerminalsOptions {
  workspace: string;
  /** The run whose terminals they are: sessions are named after it, and closed with it. */
  runId: string;
  /** What commands of the agent can reach; terminals can reach no more. */
  sandbox: TerminalSandbox;
  /** How a daemon is started if the workspace has none. */
  server?: Omit<TerminalClientOptions, 'workspace'>;
}

export interface Terminals extends Pick<RuntimePort, 'execCommand'> {
  writeStdin(request: StdinRequest, signal: AbortSignal): Promise<TerminalOutput>;
  /** The run is over: ends its terminals, also those that another process opened for it. */
  close(): Promise<void>;
  /** The run may continue in another process: its terminals stay. */
  disconnect(): void;
}

const QUICK_READS = 10;
const READ_INTERVAL_MS = 20;
/** Of one request; a longer wait consists of several. */
const MAX_WAIT_MS = 60_000;
/** A call that was cancelled has ten seconds to return. */
const CANCEL_TIMEOUT_MS = 5000;
const INTERRUPT = '\u0003';

/** The terminals of a run, which are sessions of the workspace's daemon: they outlive the call and the process. */
export function openTerminals(options: TerminalsOptions): Terminals {
  return new RunTerminals(options);
}

class RunTerminals implements Terminals {
  readonly #options: TerminalsOptions;
  readonly #sandbox: SandboxRequest | null;
  readonly #client: TerminalClient;
  /** How far the output of each terminal was returned. */
  readonly #cursors = new Map<string, number>();
  /** Terminals whose end was returned. By the next call it is in the log, so that their output is not needed again. */
  readonly #over = new Set<string>();

  constructor(options: TerminalsOptions) {
    this.#options = options;
    this.#sandbox = sandboxRequest(options.sandbox);
    this.#client = new TerminalClient({ ...options.server, workspace: options.workspace });
  }

  async execCommand(request: ExecRequest, signal: AbortSignal): Promise<TerminalOutput> {
    this.#forgetOver();
    const { session_id: sessionId } = await this.#open(request, signal);
    return await this.#wait({ ...request, sessionId }, signal, () => this.#destroy(sessionId));
  }

  async writeStdin(request: StdinRequest, signal: AbortSignal): Promise<TerminalOutput> {
    const { sessionId, text, callKey } = request;
    this.#forgetOver(sessionId);
    try {
      await this.#check(sessionId);
      if (text !== '') await this.#type(sessionId, text, callKey);
    } catch (error) {
      throw terminalFailure(error, sessionId);
    }
    return await this.#wait(request, signal, () => this.#type(sessionId, INTERRUPT, null));
  }

  disconnect(): void {
    this.#client.disconnect();
  }

  async close(): Promise<void> {
    this.disconnect();
    const { workspace, runId } = this.#options;
    const client = await findServer(workspace, { reconnectMs: 0 }).catch(() => null);
    if (!client) return; // No daemon, no terminals.
    try {
      const { sessions } = await client.call('session.list', { target: 'host' });
      const own = sessions.filter(({ name }) => name?.startsWith(namePrefix(runId)));
      await Promise.allSettled(own.map(({ session_id }) => client.call('session.destroy', { session_id })));
    } catch {
      // The daemon has ended meanwhile, and its sessions with it.
    } finally {
      client.close();
    }
  }

  async #open(request: ExecRequest, signal: AbortSignal): Promise<SessionInfo> {
    const opening = sessionRequest(request, this.#options).then((params) => this.#client.create(params));
    try {
      return await untilAborted(opening, signal);
    } catch (error) {
      if (!signal.aborted) throw terminalFailure(error);
      await this.#cleanUp(opening.then(({ session_id }) => this.#destroy(session_id)));
      throw callCancelled();
    }
  }

  /** Only terminals of agents, and only those that are confined like this one. */
  async #check(sessionId: string): Promise<void> {
    if (this.#cursors.has(sessionId)) return;
    if (!isSessionId(sessionId)) throw noSuchTerminal(sessionId);
    const session = await this.#client.call('session.info', { session_id: sessionId });
    if (!isOfAgent(session)) throw noSuchTerminal(sessionId);
    if (hasSandbox(session, this.#sandbox)) return;
    throw new ToolFailure(
      'not_permitted',
      `the terminal ${sessionId} has another sandbox than this agent; open a new one with exec_command`,
    );
  }

  async #type(sessionId: string, text: string, callKey: string | null): Promise<void> {
    await this.#client.call('session.write', {
      session_id: sessionId,
      // The key Enter; a terminal turns it into a line feed for programs that read lines.
      data: text.replaceAll(/\r?\n/g, '\r'),
      ...(callKey === null ? {} : { write_id: writeId(this.#options.runId, callKey) }),
    });
  }

  /** Waits for the end of the program, or for `yieldMs`; returns what it printed since the last call. */
  async #wait(
    { sessionId, yieldMs, maxOutputChars }: StdinRequest | (ExecRequest & { sessionId: string }),
    signal: AbortSignal,
    onAbort: () => Promise<unknown>,
  ): Promise<TerminalOutput> {
    const deadline = performance.now() + yieldMs;
    try {
      const { incompleteSequence, terminalText } = await import('./terminal-text.ts');
      const { kept, cursor, closed } = await this.#readUntil(deadline, sessionId, signal);
      const rest = closed ? 0 : incompleteSequence(kept.tail.length > 0 ? kept.tail : kept.head);
      this.#cursors.set(sessionId, cursor - rest);
      const shown = terminalText(kept, maxOutputChars);
      if (!closed) return { sessionId, ...shown, exitCode: null };
      const { end } = await this.#client.call('session.info', { session_id: sessionId });
      this.#over.add(sessionId);
      return ended(end!, shown);
    } catch (error) {
      if (!signal.aborted) throw terminalFailure(error, sessionId);
      await this.#cleanUp(onAbort());
      throw callCancelled();
    }
  }

  async #readUntil(
    deadline: number,
    session_id: string,
    signal: AbortSignal,
  ): Promise<{ kept: KeptEnds; cursor: number; closed: boolean }> {
    const ends = new OutputEnds();
    let cursor = this.#cursors.get(session_id) ?? 0;
    for (let reads = 0; ; reads++) {
      const left = Math.max(0, Math.ceil(deadline - performance.now()));
      const wait_ms = Math.min(left, MAX_WAIT_MS);
      const read = await untilAborted(
        this.#client.call('session.read', { session_id, after: cursor, max_bytes: BUFFER_BYTES, wait_ms }),
        signal,
      );
      if (read.truncated_before !== null) ends.skip(read.truncated_before - cursor);
      ends.append(decodeBytes(read));
      cursor = read.next;
      if (read.closed || left === 0) return { kept: ends.collect(), cursor, closed: read.closed };
      // A program that prints without pause is not followed byte by byte.
      if (reads >= QUICK_READS) await untilAborted(sleep(Math.min(left, READ_INTERVAL_MS)), signal);
    }
  }

  #forgetOver(except?: string): void {
    for (const id of this.#over) {
      if (id === except) continue;
      this.#over.delete(id);
      this.#cursors.delete(id);
      this.#destroy(id).catch(() => {}); // Gone already.
    }
  }

  async #destroy(session_id: string): Promise<void> {
    await this.#client.call('session.destroy', { session_id });
  }

  /** After a cancel: whatever of it cannot be done now is left to the end of the run. */
  async #cleanUp(work: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    await Promise.race([
      work.catch(() => {}),
      sleep(CANCEL_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => {}),
    ]);
    timer.abort();
    // A request that waits for output would keep the process running.
    this.#client.disconnect();
  }
}

type Shown = Pick<TerminalOutput, 'output' | 'truncated'>;

function ended(end: NonNullable<SessionInfo['end']>, shown: Shown): TerminalOutput {
  if (end.reason !== 'failed') return { sessionId: null, ...shown, exitCode: exitCodeOf(end) };
  const failed = explainFailedEntry(shown.output, 'the program');
  if ('denied' in failed) throw new ToolFailure('sandbox_denied', failed.denied);
  return { sessionId: null, output: `tacho: ${failed.message}\n`, truncated: false, exitCode: failed.exitCode };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(callCancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
