import { useRef } from 'react';

const MAX_COMMANDS = 200;

/** Commands that were sent: `step` moves back and forth in them, starting from the current text. */
export function useCommandHistory() {
  const sent = useRef<string[]>([]);
  const at = useRef(0);
  const draft = useRef('');
  return {
    add(command: string): void {
      sent.current = [...sent.current, command].slice(-MAX_COMMANDS);
      at.current = sent.current.length;
    },
    /** Null if there is nothing more in that direction. */
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
