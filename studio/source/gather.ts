/** How many are handed on at most before the page gets its turn. */
const MOST = 2000;

/** Hands on what comes in quick succession together: a page that draws after every single event falls behind. */
export async function gather<T>(items: AsyncIterable<T>, onItems: (items: T[]) => void): Promise<void> {
  let waiting: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const ready = waiting;
    waiting = [];
    onItems(ready);
  };
  try {
    for await (const item of items) {
      waiting.push(item);
      if (waiting.length >= MOST) {
        flush();
        await new Promise((resolve) => setTimeout(resolve));
      }
      timer ??= setTimeout(flush, 16);
    }
  } finally {
    flush();
  }
}
