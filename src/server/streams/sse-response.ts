import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { every, type Repeated } from '../../files/index.ts';
import type { StreamClosed } from '../../protocol/index.ts';
import { controlFrame } from './frames.ts';

const HEARTBEAT = ': heartbeat\n\n';

/** A response that is written frame by frame, outside of the framework. */
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
    // A broken connection also emits an error; only the close matters.
    this.#response.on('error', () => this.#finish());
    const sendHeartbeat = (): void => {
      // No heartbeat before the first frame, nor while the reader is behind, where it would only pile up.
      if (this.#begun && !this.#full) this.write(HEARTBEAT);
    };
    this.#heartbeat = every(heartbeatMs, sendHeartbeat, { onError: () => {}, ref: true });
    // The client may have disconnected before the listener was attached.
    if (this.#response.destroyed) this.#finish();
  }

  /** Sets the listener for the end of the response. */
  attach({ onEnd }: { onEnd(): void }): void {
    this.#onEnd = onEnd;
  }

  /** The client has disconnected, or the stream has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The reader has not yet taken what was written before. */
  get full(): boolean {
    return this.#full;
  }

  /** `onTaken`: the bytes are no longer needed. */
  write(bytes: Buffer | string, onTaken: () => void = () => {}): void {
    if (this.#ended) {
      onTaken();
      return;
    }
    this.#begun = true;
    if (!this.#response.write(bytes, onTaken)) this.#full = true;
  }

  /**
   * Resolves when the reader has taken everything or has disconnected, or after the timeout. One caller may wait at a
   * time.
   */
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
