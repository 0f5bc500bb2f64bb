import { createDeltas } from '../deltas.ts';
import type { Surface } from '../line-parser.ts';
import type { Unit } from '../unit.ts';

export interface Speech {
  /** A piece of what the assistant says. */
  add(text: string, unit: Unit): void;
  /** Something else comes: what was said is a whole message. */
  close(): void;
}

/** Gemini prints a message in pieces and never says that it is over; a done marker may be cut in two. */
export function createSpeech({ draft, wait }: Surface): Speech {
  const deltas = createDeltas(draft);
  wait(deltas);
  let message: { id: string; text: string; units: Unit[] } | null = null;

  return {
    add(text, unit) {
      message ??= { id: draft.derivedId(unit), text: '', units: [] };
      message.text += text;
      message.units.push(unit);
      deltas.add(message.id, text, unit);
    },
    close() {
      if (!message) return;
      const { id, text, units } = message;
      message = null;
      deltas.flush();
      if (text !== '') draft.final(id, text, units);
    },
  };
}
