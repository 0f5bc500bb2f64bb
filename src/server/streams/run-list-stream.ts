import type { FastifyReply } from 'fastify';
import type { RunChange, StreamOpened } from '../../protocol/index.ts';
import { controlFrame } from './frames.ts';
import { SseResponse } from './sse-response.ts';

interface Change {
  runId: string;
  number: number;
  frame: string;
}

/** Streams every change in the list of runs. A slow reader gets each changed run once, in its latest state. */
export class RunListStream {
  readonly #heartbeatMs: number;
  readonly #readers = new Set<{ response: SseResponse; pending: Map<string, Change> }>();
  #changes = 0;

  constructor(heartbeatMs: number) {
    this.#heartbeatMs = heartbeatMs;
  }

  get readers(): number {
    return this.#readers.size;
  }

  publish(change: RunChange): void {
    if ('removed' in change) this.#publish(change.removed, 'run_removed', { run_id: change.removed });
    else this.#publish(change.run.run_id, 'run_changed', change.run);
  }

  /** Responds with the stream; returns when it has ended. */
  async stream(reply: FastifyReply): Promise<void> {
    const response = new SseResponse(reply, this.#heartbeatMs);
    const reader = { response, pending: new Map<string, Change>() };
    this.#readers.add(reader);
    // Changes are not stored: a client that reconnects requests the list again.
    const opened: StreamOpened = { resume: 'reset', from_seq: this.#changes + 1, head_seq: this.#changes };
    response.write(controlFrame('stream.opened', opened));
    const ended = new Promise<void>((resolve) => response.attach({ onEnd: resolve }));
    if (!response.ended) await ended;
    this.#readers.delete(reader);
  }

  close(): void {
    for (const { response } of this.#readers) {
      response.end({ reason: 'shutdown', last_seq: this.#changes });
    }
  }

  #publish(runId: string, name: string, data: unknown): void {
    if (this.#readers.size === 0) {
      this.#changes++;
      return;
    }
    const number = ++this.#changes;
    const change = { runId, number, frame: `id: ${number}\n${controlFrame(name, data)}` };
    for (const { response, pending } of this.#readers) {
      // While older changes are pending, newer ones queue behind them.
      if (!response.full && pending.size === 0) response.write(change.frame);
      else void this.#later(response, pending, change);
    }
  }

  async #later(response: SseResponse, pending: Map<string, Change>, change: Change): Promise<void> {
    const first = pending.size === 0;
    pending.delete(change.runId);
    pending.set(change.runId, change);
    if (!first) return;
    await response.drained();
    const changes = [...pending.values()];
    pending.clear();
    response.write(changes.map(({ frame }) => frame).join(''));
  }
}
