import { useRef } from 'react';

const MOST = 200;

/** Commands that were sent, to be sent again: `step` goes back and on in them, from what is being written. */
export function useCommandHistory() {
  const sent = useRef<string[]>([]);
  const at = useRef(0);
  const draft = useRef('');
  return {
    add(command: string): void {
      sent.current = [...sent.current, command].slice(-MOST);
      at.current = sent.current.length;
    },
    /** Null where there is nothing more that way. */
    step(by: 1 | -1, written: string): string | null {
      const { length } = sent.current;
      const next = at.current + by;
      if (next < 0 || next > length) return null;
      if (at.current === length) draft.current = written;
      at.current = next;
      return next === length ? draft.current : sent.current[next]!;
    },
  };
}
