import type { Deltas } from '../deltas.ts';
import type { Drafter, DraftOptions } from '../drafter.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';
import type { StreamJsonDialect } from './dialect.ts';

/** A text that was begun in pieces and is not yet said as a whole. */
interface OpenText {
  id: string;
  messageId: string | null;
  text: string;
  isError: boolean;
}

interface Stream {
  messageId: string | null;
  open: OpenText[];
  current: OpenText | null;
}

export interface Texts {
  /** The pieces of a message begin. */
  message(parent: string | null, id: string | null): void;
  /** A text block of it begins. */
  begin(parent: string | null, unit: Unit): void;
  /** False for a piece that does not belong to a message; the caller has to cover it. */
  piece(parent: string | null, text: string, unit: Unit, options: DraftOptions): boolean;
  whole(parent: string | null, messageId: string | null, text: string, unit: Unit, options: DraftOptions): void;
  /** Whether this text was said by the main agent. */
  wasSaid(text: string): boolean;
}

/**
 * What the agents say. A message holds several texts under one id, and each needs one of its own; the pieces of a text
 * need the same id as its whole, though the engine may print the whole under another message's id.
 */
export function createTexts(draft: Drafter, deltas: Deltas, dialect: StreamJsonDialect): Texts {
  const streams = new RecentMap<string | null, Stream>();
  const used = new RecentMap<string, number>();
  const said = new RecentMap<string, true>();

  function ownId(messageId: string): string {
    const count = (used.get(messageId) ?? 0) + 1;
    used.set(messageId, count);
    return count === 1 ? messageId : `${messageId}.${count}`;
  }

  function streamOf(parent: string | null): Stream {
    const known = streams.get(parent);
    if (known) return known;
    const stream: Stream = { messageId: null, open: [], current: null };
    streams.set(parent, stream);
    return stream;
  }

  function begin(parent: string | null, unit: Unit): OpenText {
    const stream = streamOf(parent);
    const { messageId } = stream;
    const current = { id: ownId(messageId ?? draft.derivedId(unit)), messageId, text: '', isError: false };
    stream.open.push(current);
    stream.current = current;
    return current;
  }

  /** The pieces that make up this text; where the engine changed it afterwards, the last ones of the same message. */
  function takeOpen(parent: string | null, messageId: string | null, text: string): OpenText | null {
    const stream = streams.get(parent);
    if (!stream) return null;
    const same = stream.open.find((open) => open.text === text);
    const found = same ?? stream.open.findLast((open) => open.messageId !== null && open.messageId === messageId);
    if (!found) return null;
    stream.open.splice(stream.open.indexOf(found), 1);
    if (stream.current === found) stream.current = null;
    return found;
  }

  return {
    message(parent, id) {
      streams.set(parent, { messageId: id, open: [], current: null });
    },
    begin,
    piece(parent, text, unit, options) {
      const current = streamOf(parent).current ?? begin(parent, unit);
      if (current.text === '') current.isError = dialect.errorText?.test(text) ?? false;
      current.text += text;
      if (text === '' || current.isError) return false;
      deltas.add(current.id, text, unit, options);
      return true;
    },
    whole(parent, messageId, text, unit, options) {
      const id = takeOpen(parent, messageId, text)?.id ?? ownId(messageId ?? draft.derivedId(unit));
      if (parent === null) said.set(text, true);
      draft.final(id, text, unit, options);
    },
    wasSaid: (text) => said.has(text),
  };
}
