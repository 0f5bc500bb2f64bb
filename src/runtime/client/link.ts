import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { type ExecOutput, execOutputSchema, rpcAnswerSchema, TachoError } from '../../protocol/index.ts';
import type { TakeOutput } from '../../terminal/index.ts';
import { LineSplitter, TOO_LONG } from '../../terminal/line-splitter.ts';
import { Outbox } from '../rpc/outbox.ts';

/** A pair of streams to a runtime, over any transport. */
export interface Wire {
  input: Readable;
  output: Writable;
  close(): void;
  /** Whether the connection keeps this process running; it does by default. */
  keepProcess?(keeps: boolean): void;
}

/** A response holds up to 16 MiB, and JSON may need six bytes for each. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

const notificationSchema = z.object({ method: z.literal('exec.output'), params: execOutputSchema });

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One connection to a runtime, from opening to loss. */
export class Link {
  readonly #wire: Wire;
  readonly #outbox: Outbox;
  readonly #isBackground: boolean;
  readonly #waiting = new Map<number, Waiting>();
  readonly #takers = new Map<string, { take: TakeOutput; fail: (error: unknown) => void }>();
  #secret: string | null;
  #lastId = 0;
  #lost: TachoError | null = null;

  /** `isBackground`: keeps this process running only during calls. */
  constructor(wire: Wire, secret: string | null, { isBackground = false }: { isBackground?: boolean } = {}) {
    this.#wire = wire;
    this.#isBackground = isBackground;
    if (isBackground) wire.keepProcess?.(false);
    this.#outbox = new Outbox(wire.output);
    this.#secret = secret;
    void this.#listen().then(
      () => this.#lose(new TachoError('SERVER_UNREACHABLE', 'the runtime closed the connection')),
      (cause) => this.#lose(new TachoError('SERVER_UNREACHABLE', 'the connection to the runtime broke', { cause })),
    );
  }

  get lost(): boolean {
    return this.#lost !== null;
  }

  /** Sends one request; `take` receives the output of the command `execId` and may delay further output. */
  async call(
    method: string,
    params: object,
    stream: { execId: string; take: TakeOutput } | null = null,
  ): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    const id = ++this.#lastId;
    const secret = this.#secret ?? undefined;
    this.#secret = null;
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    if (this.#isBackground) this.#wire.keepProcess?.(true);
    if (stream) {
      const fail = (error: unknown) => this.#waiting.get(id)?.reject(error);
      this.#takers.set(stream.execId, { take: stream.take, fail });
    }
    try {
      // A lost connection fails the pending response.
      this.#outbox.send(`${JSON.stringify({ jsonrpc: '2.0', id, method, params, secret })}\n`).catch(() => {});
      return await answered;
    } finally {
      this.#waiting.delete(id);
      if (this.#isBackground && this.#waiting.size === 0) this.#wire.keepProcess?.(false);
      if (stream) this.#takers.delete(stream.execId);
    }
  }

  close(): void {
    this.#lose(new TachoError('SERVER_UNREACHABLE', 'the connection was closed'));
    this.#wire.close();
  }

  async #listen(): Promise<void> {
    const splitter = new LineSplitter(MAX_ANSWER_BYTES);
    for await (const bytes of this.#wire.input) {
      for (const line of splitter.push(bytes as Buffer)) {
        if (line === TOO_LONG) throw new Error('an answer is too long');
        if (line.length > 0) await this.#receive(JSON.parse(line.toString()));
      }
    }
  }

  async #receive(message: object): Promise<void> {
    if ('method' in message) {
      const notification = notificationSchema.safeParse(message);
      if (notification.success) await this.#hand(notification.data.params);
      return;
    }
    const answer = rpcAnswerSchema.parse(message);
    const waiting = this.#waiting.get(Number(answer.id));
    if ('result' in answer) return waiting?.resolve(answer.result);
    const { message: sentence, data } = answer.error;
    const refusal = new TachoError(data.code, sentence, {
      facts: data.facts,
      ...(data.fix !== undefined && { fix: data.fix }),
    });
    // An error without an id, such as for an overlong message, fails all pending calls.
    if (waiting) waiting.reject(refusal);
    else if (answer.id === null) this.#refuseAll(refusal);
  }

  async #hand(output: ExecOutput): Promise<void> {
    const taker = this.#takers.get(output.exec_id);
    try {
      await taker?.take(output);
    } catch (error) {
      // Only its own call fails.
      this.#takers.delete(output.exec_id);
      taker?.fail(error);
    }
  }

  #lose(error: TachoError): void {
    this.#lost ??= error;
    this.#refuseAll(this.#lost);
  }

  #refuseAll(error: TachoError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
