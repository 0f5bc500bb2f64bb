import type { Drafter, DraftOptions } from './drafter.ts';
import type { Timed } from './timed.ts';
import type { Unit } from './unit.ts';

/** Pieces of a message within this much byte time become one event. */
const COALESCE_MS = 100;

interface Pending {
  messageId: string;
  text: string;
  units: Unit[];
  firstTime: number;
  options: DraftOptions;
}

export interface Deltas extends Timed {
  add(messageId: string, text: string, unit: Unit, options?: DraftOptions): void;
  /** The message is over, or something else comes: its last pieces go first. */
  flush(): void;
}

/** Coalesces the pieces in which an engine prints a message, by the time of their bytes. */
export function createDeltas(draft: Drafter): Deltas {
  let pending: Pending | null = null;

  function flush(): void {
    if (!pending) return;
    const { messageId, text, units, options } = pending;
    pending = null;
    const correlation = { message_id: messageId, ...options.correlation };
    draft.event('agent.message.delta', { message_id: messageId, text }, units, { ...options, correlation });
  }

  return {
    add(messageId, text, unit, options = {}) {
      if (pending && pending.messageId !== messageId) flush();
      pending ??= { messageId, text: '', units: [], firstTime: unit.time, options };
      pending.text += text;
      pending.units.push(unit);
    },
    flush,
    deadline: () => (pending ? pending.firstTime + COALESCE_MS : Number.POSITIVE_INFINITY),
    fire: flush,
  };
}
