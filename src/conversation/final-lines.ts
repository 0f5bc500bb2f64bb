import { withoutOuterFence } from './code-fence.ts';
import { comparableLine } from './comparable-line.ts';
import { createQueue } from './queue.ts';

/** The lines of an attempt's finals, against which its raw lines are compared. */
export interface FinalLines {
  readonly size: number;
  /** Adds all lines of a final, however many; `forgetOld` then keeps the bound. */
  add(text: string): void;
  /** Forgets the oldest lines until what is left fits into the bound. */
  forgetOld(): void;
  has(line: string): boolean;
  clear(): void;
}

export const FINAL_LINES_LENGTH = 64 * 1024;

export function createFinalLines(): FinalLines {
  const order = createQueue<string>();
  /** How often each line stands in `order`. */
  const counts = new Map<string, number>();
  let length = 0;

  function forgetOldest(): void {
    const line = order.shift()!;
    length -= line.length + 1;
    const count = counts.get(line)! - 1;
    if (count === 0) counts.delete(line);
    else counts.set(line, count);
  }

  return {
    get size() {
      return counts.size;
    },
    add(text) {
      for (const raw of withoutOuterFence(text).split('\n')) {
        const line = comparableLine(raw);
        if (line === '') continue;
        order.push(line);
        counts.set(line, (counts.get(line) ?? 0) + 1);
        length += line.length + 1;
      }
    },
    forgetOld() {
      while (length > FINAL_LINES_LENGTH) forgetOldest();
    },
    has: (line) => counts.has(line),
    clear() {
      order.clear();
      counts.clear();
      length = 0;
    },
  };
}
