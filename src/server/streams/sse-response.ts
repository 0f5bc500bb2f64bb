import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { every, type Repeated } from '../../files/index.ts';
import type { StreamClosed } from '../../protocol/index.ts';
import { controlFrame } from './frames.ts';

const HEARTBEAT = ': heartbeat\n\n';

/** An answer that is written frame by frame, taken out of the framework's hands. */
export class SseResponse {
  readonly #response: ServerResponse;
  readonly #heartbeat: Repeated;
  #begun = false;
  #full = false;
  #ended = false;
  #waiting: (() => void) | null = null;
  #onEnd: () => void = () => {};

  constructor(reply: FastifyReply, heartbeatMs: number) {
    reply.hijack();
    this.#response = reply.raw;
    this.#response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    this.#response.on('drain', () => {
      this.#full = false;
      this.#waiting?.();
    });
    this.#response.on('close', () => this.#finish());
    // A connection that breaks says so here as well; that it is closed is all that counts.
    this.#response.on('error', () => this.#finish());
    const beat = (): void => {
      // The first word is another one; and what cannot be written now would only pile up.
      if (this.#begun && !this.#full) this.write(HEARTBEAT);
    };
    this.#heartbeat = every(heartbeatMs, beat, { onError: () => {}, ref: true });
    // Who is gone by now has said so before anybody listened.
    if (this.#response.destroyed) this.#finish();
  }

  /** Who writes to it hears of its end. */
  attach({ onEnd }: { onEnd(): void }): void {
    this.#onEnd = onEnd;
  }

  /** Nobody listens any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The reader has not taken what was written before. */
  get full(): boolean {
    return this.#full;
  }

  /** `onTaken`: the bytes are needed no more. */
  write(bytes: Buffer | string, onTaken: () => void = () => {}): void {
    if (this.#ended) {
      onTaken();
      return;
    }
    this.#begun = true;
    if (!this.#response.write(bytes, onTaken)) this.#full = true;
  }

  /** Resolves when the reader has taken everything, or is gone, or the time is over. One waits at a time. */
  async drained(atMostMs?: number): Promise<void> {
    if (!this.#full || this.#ended) return;
    await new Promise<void>((resolve) => {
      const timer = atMostMs === undefined ? undefined : setTimeout(resolve, atMostMs);
      this.#waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#waiting = null;
  }

  end(closed: StreamClosed): void {
    if (this.#ended) return;
    this.#response.end(controlFrame('stream.closed', closed));
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#heartbeat.stop();
    this.#waiting?.();
    this.#onEnd();
  }
}
