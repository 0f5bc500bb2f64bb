/** A fault in the delivery of a correct reply. */
export type Fault = 'none' | 'slow' | 'cut' | 'malformed';

/** The parts of a reply as sent, and how the connection ends after them. */
export interface Delivery {
  parts: string[];
  pauseMs: number;
  ending: 'complete' | 'broken';
}

export function applyFault(parts: readonly string[], fault: Fault, pauseMs: number): Delivery {
  const middle = Math.floor(parts.length / 2);
  const before = parts.slice(0, middle);
  const broken = parts[middle] ?? '';
  const half = broken.slice(0, Math.ceil(broken.length / 2));
  switch (fault) {
    case 'none':
      return { parts: [...parts], pauseMs: 0, ending: 'complete' };
    case 'slow':
      return { parts: [...parts], pauseMs, ending: 'complete' };
    case 'cut':
      return { parts: [...before, half], pauseMs: 0, ending: 'broken' };
    case 'malformed':
      // Half a message that looks complete, then a line that is not a field of an event.
      return { parts: [...before, `${half}\n\n`, 'no such field in any event\n\n'], pauseMs: 0, ending: 'complete' };
  }
}
