import path from 'node:path';
import { type Client, createClient } from '../../client/index.ts';
import {
  type Completion,
  type Decision,
  type ErrorCode,
  EXIT_CODES,
  type FcmpMessage,
  isEvent,
  type Meta,
  type RaspEvent,
  type RunStatus,
  type RunView,
  type SettledRequest,
  TachoError,
} from '../../protocol/index.ts';
import { type DataHome, findServer, loadTokens, type RunOutcome } from '../../runs/index.ts';
import { paint } from '../output/paint.ts';
import type { TypedReply } from '../person/typed-reply.ts';
import { QueuedInput } from './queued-input.ts';
import { QueuedOutput } from './queued-output.ts';
import type { Output, ShownRun } from './show-run.ts';

/** A client of the server of this data folder. */
export function openQueue(home: DataHome): Client {
  const server = findServer(home);
  if (server) return createClient({ url: server.url, token: loadTokens(home.root).admin });
  throw new TachoError('SERVER_UNREACHABLE', `no server serves ${home.root}`, {
    facts: { path: home.root },
    fix: 'Start one with: tacho start. Or record it here, without --queue.',
  });
}

/** `--detach`: prints the facts that later commands need to find the run. */
export function printQueued({ run_id, handle, status }: RunView, { json }: { json: boolean }): number {
  process.stdout.write(json ? `${JSON.stringify({ run_id, handle, status })}\n` : `${handle}\n`);
  return 0;
}

interface QueuedRunOptions {
  client: Client;
  request: SettledRequest;
  /** Where the server keeps runs; used in messages, never read. */
  runsFolder: string;
  /** Whether standard input goes to the program. */
  keyboard: boolean;
  /** Prints no messages of our own. */
  quiet: boolean;
}

/** `--queue`: the server records the run, and this process shows its stream. Ctrl-C ends the run. */
export class QueuedRun implements ShownRun {
  readonly #options: QueuedRunOptions;
  readonly #undo: (() => void)[] = [];
  #output: QueuedOutput | null = null;
  #runId: string | null = null;
  #cancels = 0;
  /** The last message shown. */
  #cursor = 0;
  #last: { status: RunStatus; reason: string } = { status: 'queued', reason: 'requested' };

  constructor(options: QueuedRunOptions) {
    this.#options = options;
  }

  async carryOut({ output, conversed }: Parameters<ShownRun['carryOut']>[0]): Promise<RunOutcome> {
    const { client, request } = this.#options;
    const cancel = () => this.#cancel();
    process.on('SIGINT', cancel);
    this.#undo.push(() => process.off('SIGINT', cancel));
    if (this.#runId === null) {
      this.#runId = (await client.createRun(request)).run_id;
      for (let count = 0; count < this.#cancels; count++) this.#sendCancel();
    }
    const runId = this.#runId;
    await (output ? this.#followOutput(runId, output) : this.#followConversation(runId, conversed));
    return this.#outcome(runId);
  }

  async answer({ runId, question }: RunOutcome, reply: TypedReply): Promise<ShownRun> {
    await this.#options.client.reply(runId, { interaction_id: question?.interaction_id ?? 'none', ...reply });
    return this;
  }

  async decide(approvalId: string, decision: Decision): Promise<void> {
    await this.#options.client.decide(approvalId, decision);
  }

  startLine(): void {
    this.#output?.startLine();
  }

  restore(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  async #followOutput(runId: string, to: Output): Promise<void> {
    const { client, request, keyboard } = this.#options;
    const output = new QueuedOutput(client, runId, request, to);
    const input = keyboard ? new QueuedInput(client, runId) : null;
    this.#output = output;
    this.#undo.push(() => input?.close());
    for await (const event of client.followEvents(runId)) {
      output.wake(event.attempt_number);
      if (!isEvent(event, 'lifecycle.run.status')) continue;
      const { status, reason_code = '' } = event.data;
      this.#last = { status, reason: reason_code };
      if (status === 'running') input?.open();
      if (status === 'waiting_user') break;
    }
    input?.close();
    await output.finish();
  }

  async #followConversation(runId: string, conversed: (messages: FcmpMessage[]) => void): Promise<void> {
    const { client } = this.#options;
    for await (const message of client.followConversation(runId, { cursor: this.#cursor, full: true })) {
      this.#cursor = message.seq;
      conversed([message]);
      if (message.type !== 'conversation.state.changed') continue;
      const { to, reason_code } = (message as FcmpMessage<'conversation.state.changed'>).data;
      this.#last = { status: to, reason: reason_code };
      if (to === 'waiting_user') break;
    }
  }

  /** The first signal lets the program end by itself, the second does not. */
  #cancel(): void {
    this.#cancels++;
    if (this.#cancels === 1 && !this.#options.quiet)
      process.stderr.write(`\n${paint.yellow('tacho:')} ending the run; once more to kill it\n`);
    if (this.#runId !== null) this.#sendCancel();
  }

  #sendCancel(): void {
    // The run may have ended meanwhile; if the server is gone, the stream reports it.
    void this.#options.client.cancel(this.#runId!).catch(() => {});
  }

  async #outcome(runId: string): Promise<RunOutcome> {
    const { client, request, runsFolder } = this.#options;
    const view = await client.getRun(runId);
    const meta = await readMeta(client, view);
    const error = meta ? meta.error && errorOf(meta.error) : await startFailure(client, view);
    // The attempt never began: fail as a local run would have.
    if (!meta && error) throw error;
    return {
      engine: view.engine,
      runId,
      runDir: path.join(runsFolder, runId),
      attempt: view.attempt,
      status: view.status,
      completion: meta?.completion ?? neverBegan(this.#last.reason),
      sealed: meta !== null,
      exit_code: meta?.exit_code ?? null,
      signal: meta?.signal ?? null,
      error,
      durationMs: Math.round(meta?.duration_ms ?? 0),
      sessionId: view.session_id,
      model: meta?.model ?? request.model ?? null,
      usage: meta?.usage ?? null,
      question: view.question,
    };
  }
}

/** Available once sealed; null for a run that was canceled or failed before its attempt began. */
async function readMeta(client: Client, { run_id, attempt }: RunView): Promise<Meta | null> {
  try {
    if (attempt > 0) return await client.attempt(run_id, attempt);
    await client.result(run_id);
    return null;
  } catch (error) {
    if (error instanceof TachoError && ['RUN_ACTIVE', 'ATTEMPT_NOT_FOUND'].includes(error.code)) return null;
    throw error;
  }
}

/** The error that prevented the attempt from starting, from the events. */
async function startFailure(client: Client, { run_id }: RunView): Promise<TachoError | null> {
  const { events } = await client.events(run_id, { type: 'diagnostic.runtime.warning' });
  const failure = events.filter(isFailure).at(-1);
  return failure ? errorOf(failure.data) : null;
}

function isFailure(event: RaspEvent): event is RaspEvent<'diagnostic.runtime.warning'> {
  return isEvent(event, 'diagnostic.runtime.warning') && event.data.severity === 'error';
}

/** An unknown code of a newer server is kept as a fact. */
function errorOf({ code, message, fix }: { code: string; message: string; fix?: unknown }): TachoError {
  const remedy = typeof fix === 'string' ? { fix } : {};
  if (Object.hasOwn(EXIT_CODES, code)) return new TachoError(code as ErrorCode, message, remedy);
  return new TachoError('INTERNAL', message, { facts: { server_code: code }, ...remedy });
}

function neverBegan(reason_code: string): Completion {
  return {
    state: 'interrupted',
    reason_code,
    rule: 0,
    source: 'tacho',
    confidence: 1,
    needs_user_input: false,
    diagnostics: [],
    evidence: [],
  };
}
