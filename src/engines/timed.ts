/** Something that waits: for more lines, for the rest of a line, for more of a message. */
export interface Timed {
  /** When the wait is over; Infinity while nothing waits. */
  deadline(): number;
  /** Ends the wait that is over first. */
  fire(): void;
}

/**
 * Ends, in the order in which they are over, all waits that are over before `time`. One order for all of them: events
 * must not depend on how often the clock was read.
 */
export function fireUntil(waiting: readonly Timed[], time: number): void {
  for (;;) {
    let due: Timed | null = null;
    let first = time;
    for (const one of waiting) {
      const deadline = one.deadline();
      if (deadline < first) {
        first = deadline;
        due = one;
      }
    }
    if (due === null) return;
    due.fire();
  }
}
