import type { Drafter, DraftOptions } from './drafter.ts';
import { createQuietUnits, type QuietUnits } from './quiet-units.ts';
import { RecentMap } from './recent-map.ts';
import type { Unit } from './unit.ts';

export interface Thoughts {
  /** A piece of a thought. */
  add(blockId: string, text: string, unit: Unit, options?: DraftOptions): void;
  /** The message has ended and repeats the thought as a whole. */
  finish(blockId: string, text: string, unit: Unit, options?: DraftOptions): void;
  /** Something else comes: what was thought until now goes first. */
  flush(): void;
}

/** Thoughts of a message, each before what the model says next, although only the end of the message has it whole. */
export function createThoughts(draft: Drafter, before: () => void): Thoughts {
  let open: { id: string; text: string; units: QuietUnits; options: DraftOptions } | null = null;
  /** By block: what events have already. */
  const told = new RecentMap<string, string>();

  function flush(): void {
    if (!open) return;
    const { id, text, units, options } = open;
    open = null;
    before();
    told.set(id, (told.get(id) ?? '') + text);
    draft.event('agent.reasoning.summary', { message_id: id, text }, units.take(), options);
  }

  return {
    add(id, text, unit, options = {}) {
      if (open?.id !== id) flush();
      open ??= { id, text: '', units: createQuietUnits(), options };
      open.text += text;
      open.units.add(unit);
    },
    finish(id, text, unit, options = {}) {
      flush();
      const said = told.get(id) ?? '';
      told.delete(id);
      const rest = text.startsWith(said) ? text.slice(said.length) : text;
      if (rest !== '') draft.event('agent.reasoning.summary', { message_id: id, text: rest }, unit, options);
    },
    flush,
  };
}
