export interface Queue<T> {
  readonly length: number;
  push(value: T): void;
  /** Takes the oldest value; undefined when there is none. */
  shift(): T | undefined;
  clear(): void;
}

/** First in, first out, at constant cost: an array's own `shift` moves all the rest each time. */
export function createQueue<T>(): Queue<T> {
  let values: (T | undefined)[] = [];
  let head = 0;

  return {
    get length() {
      return values.length - head;
    },
    push: (value) => void values.push(value),
    shift() {
      if (head === values.length) return undefined;
      const value = values[head];
      values[head] = undefined;
      head++;
      if (head * 2 > values.length) {
        values = values.slice(head);
        head = 0;
      }
      return value;
    },
    clear() {
      values = [];
      head = 0;
    },
  };
}
