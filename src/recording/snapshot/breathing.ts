import { setImmediate } from 'node:timers/promises';

/** Longest stretch of synchronous work before the event loop gets its turn. */
const SLICE_MS = 20;

/** Snapshots use synchronous calls, which are several times cheaper; this keeps timers and sockets of the process alive between them, and ends the work when it is aborted. */
export function createBreathing(signal?: AbortSignal): () => Promise<unknown> | undefined {
  let until = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < until) return undefined;
    return setImmediate().then(() => {
      signal?.throwIfAborted();
      until = performance.now() + SLICE_MS;
    });
  };
}
