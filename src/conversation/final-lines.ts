import { comparableLine } from './comparable-line.ts';
import { createQueue } from './queue.ts';

const OPENING = /^\s*(`{3,}|~{3,})[^\n`]*$/;

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

/** Text without the code fence around all of it; text that merely contains fenced parts stays as it is. */
function withoutOuterFence(text: string): string {
  const lines = text.trim().split('\n');
  const fence = OPENING.exec(lines[0]!)?.[1];
  if (fence === undefined || lines.length < 2) return text;
  const closes = (line: string) => {
    const trimmed = line.trim();
    return trimmed.length >= fence.length && trimmed === fence[0]!.repeat(trimmed.length);
  };
  // The first line that closes the fence has to be the last one of all.
  return lines.findIndex((line, at) => at > 0 && closes(line)) === lines.length - 1
    ? lines.slice(1, -1).join('\n')
    : text;
}
