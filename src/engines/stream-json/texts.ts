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
  /** Where the error begins that the engine put behind the model's words; null if there is none. */
  errorFrom: number | null;
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
  /** Says the text, but for an error of the model service at its end; that is returned. */
  whole(
    parent: string | null,
    messageId: string | null,
    text: string,
    unit: Unit,
    options: DraftOptions,
  ): string | null;
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
    const current: OpenText = { id: ownId(messageId ?? draft.derivedId(unit)), messageId, text: '', errorFrom: null };
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
      if (dialect.errorText?.test(text)) current.errorFrom ??= current.text.length;
      current.text += text;
      if (text === '' || current.errorFrom !== null) return false;
      deltas.add(current.id, text, unit, options);
      return true;
    },
    whole(parent, messageId, text, unit, options) {
      const open = takeOpen(parent, messageId, text);
      const cutAt = dialect.errorText?.test(text) ? 0 : open?.text === text ? open.errorFrom : null;
      const words = cutAt === null ? text : text.slice(0, cutAt);
      if (parent === null) said.set(text, true);
      const isSaid = cutAt === null ? text !== '' : words.trim() !== '';
      if (!isSaid) draft.phase(cutAt === null ? 'assistant.text' : 'assistant.error', unit);
      else draft.final(open?.id ?? ownId(messageId ?? draft.derivedId(unit)), words, unit, options);
      return cutAt === null ? null : text.slice(cutAt);
    },
    wasSaid: (text) => said.has(text),
  };
}
