import { joinBytes } from '../../model/bytes/join-bytes.ts';

/** Sends keys, and reports the result. */
export interface KeyQueueOptions {
  send(keys: Uint8Array): Promise<void>;
  onSent(error: Error | null): void;
}

/** Sends keys in order: those of one frame together, and each batch after the one before has arrived. */
export function keyQueue({ send, onSent }: KeyQueueOptions): (keys: string | Uint8Array) => void {
  let waiting: Uint8Array[] = [];
  let isBusy = false;

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const keys = joinBytes(waiting);
      waiting = [];
      await send(keys).then(
        () => onSent(null),
        (error: Error) => {
          // Keys typed after failed ones were meant to follow them.
          waiting = [];
          onSent(error);
        },
      );
    }
    isBusy = false;
  }

  return (keys) => {
    waiting.push(typeof keys === 'string' ? new TextEncoder().encode(keys) : keys);
    if (isBusy) return;
    isBusy = true;
    requestAnimationFrame(() => void sendWaiting());
  };
}
