import { characterBoundary, type OutputStream } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import type { Timed } from '../timed.ts';
import type { Unit } from '../unit.ts';
import { findJsonBlock } from './json-block.ts';
import { joinUnits, type Piece, slicePiece } from './piece.ts';
import { textOfPiece } from './text-of-piece.ts';

/** Lines after which nothing comes for so long are said. */
export const PAUSE_MS = 500;
/** Lines that come without a pause are said after so long. */
const LONGEST_WAIT_MS = 2000;
const BLOCK_BYTES = 64 * 1024;
const MESSAGE_BYTES = 1024 * 1024;

const JSON_CONFIDENCE = 0.8;
const TEXT_CONFIDENCE: Readonly<Record<OutputStream, number>> = { stdout: 0.6, stderr: 0.5, pty: 0.6 };

export interface Message extends Timed {
  /** It has lines, said or not. */
  readonly begun: boolean;
  readonly said: boolean;
  /** Lines not yet said. */
  readonly waitingLines: number;
  add(piece: Piece): void;
  /** Something else comes on this stream: the lines so far are said. */
  close(): void;
  /** Lines that turn out to be no prose: the last ones that were not said yet and that `wanted` accepts, in order. */
  takeBack(wanted: (line: string) => boolean): Piece[];
  finish(): void;
}

export interface MessageSurface {
  draft: Drafter;
  /** Bytes for which a message has no room. */
  keep(piece: Piece): void;
  /** When bytes were last read. Lines wait from then on: they may be older, held back by what came before them. */
  now(): number;
  /** A message begins. */
  onTold(unit: Unit): void;
  /** True while the end of the round is awaited: the whole message comes soon, pieces of it need not. */
  ending(): boolean;
}

/** The message of a round on one stream: emitted block by block while it grows, and as a whole at the end. */
export function createMessage(stream: OutputStream, surface: MessageSurface): Message {
  const { draft } = surface;
  let id: string | null = null;
  let texts: string[] = [];
  let units: Unit[] = [];
  let bytes = 0;
  let full = false;
  let waiting: (Piece & { text: string; since: number })[] = [];
  let waitingBytes = 0;

  function add(piece: Piece): void {
    const room = MESSAGE_BYTES - bytes;
    const fits = full ? 0 : piece.bytes.length <= room ? piece.bytes.length : characterBoundary(piece.bytes, room);
    for (let at = 0; at < fits; ) {
      const end = Math.min(fits, at + BLOCK_BYTES);
      const to = end < fits ? at + characterBoundary(piece.bytes.subarray(at, end), end - at) : end;
      gather(slicePiece(piece, at, to));
      at = to;
    }
    if (fits < piece.bytes.length) overflow(slicePiece(piece, fits));
  }

  function gather(piece: Piece): void {
    if (waitingBytes + piece.bytes.length > BLOCK_BYTES) close();
    id ??= draft.derivedId(piece.unit);
    waiting.push({ ...piece, text: textOfPiece(piece), since: surface.now() });
    waitingBytes += piece.bytes.length;
    bytes += piece.bytes.length;
  }

  function overflow(piece: Piece): void {
    close();
    surface.keep(piece);
    if (!full) draft.warning('UNPARSED_CONTENT', piece.unit, { event_type: 'message', problem: 'too long' });
    full = true;
  }

  /** Moves what waits into the message, as one block. */
  function takeBlock(): { unit: Unit; text: string } | null {
    if (waiting.length === 0) return null;
    const block = { unit: joinUnits(waiting), text: waiting.map(({ text }) => text).join('') };
    waiting = [];
    waitingBytes = 0;
    units.push(block.unit);
    texts.push(block.text);
    return block;
  }

  function close(): void {
    const block = takeBlock();
    if (!block) return;
    const message_id = id!;
    surface.onTold(block.unit);
    draft.event('agent.message.delta', { message_id, text: block.text }, block.unit, {
      confidence: TEXT_CONFIDENCE[stream],
      correlation: { message_id },
    });
  }

  function takeBack(wanted: (line: string) => boolean): Piece[] {
    const taken: Piece[] = [];
    for (let last = waiting.at(-1); last && wanted(last.text.trimEnd()); last = waiting.at(-1)) {
      waiting.pop();
      waitingBytes -= last.bytes.length;
      bytes -= last.bytes.length;
      taken.unshift(last);
    }
    if (waiting.length === 0 && units.length === 0) id = null;
    return taken;
  }

  function finish(): void {
    takeBlock();
    if (id === null) return;
    const message_id = id;
    const text = texts.join('').trim();
    const evidence = units;
    id = null;
    texts = [];
    units = [];
    bytes = 0;
    full = false;
    surface.onTold(evidence.at(-1)!);
    const payload = findJsonBlock(text);
    const found = payload === undefined ? {} : { structured_payload: payload };
    draft.event('agent.message.final', { message_id, text, ...found }, evidence, {
      confidence: payload === undefined ? TEXT_CONFIDENCE[stream] : JSON_CONFIDENCE,
      correlation: { message_id },
    });
  }

  return {
    get begun() {
      return id !== null;
    },
    get said() {
      return units.length > 0;
    },
    get waitingLines() {
      return waiting.length;
    },
    add,
    close,
    takeBack,
    finish,
    deadline() {
      if (waiting.length === 0 || surface.ending()) return Number.POSITIVE_INFINITY;
      return Math.min(waiting.at(-1)!.since + PAUSE_MS, waiting[0]!.since + LONGEST_WAIT_MS);
    },
    fire: close,
  };
}
