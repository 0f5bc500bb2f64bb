import type { JournalLine } from '../../journal/index.ts';
import type { StreamKind } from './event-source.ts';

const ID = 'id: ';
/** The text between the number of an event and its bytes. */
const BEFORE_DATA: Readonly<Record<StreamKind, string>> = {
  run_event: '\nevent: run_event\ndata: ',
  chat_event: '\nevent: chat_event\ndata: ',
};
const FRAME_END = '\n\n';
const ZERO = 0x30;

/** Position of a frame among others. */
export interface FramePlace {
  seq: number;
  from: number;
  to: number;
  /** Where the bytes of the event begin. */
  dataFrom: number;
  dataTo: number;
}

/** Maximum bytes of a frame in addition to the bytes of its event. */
export function longestEnvelope(kind: StreamKind): number {
  return ID.length + String(Number.MAX_SAFE_INTEGER).length + BEFORE_DATA[kind].length + FRAME_END.length;
}

/** Writes an event as a frame at `at`; returns where the frame ends. */
export function writeFrame(target: Buffer, at: number, { seq, bytes }: JournalLine, kind: StreamKind): number {
  let end = at + target.write(ID, at, 'latin1');
  end += target.write(String(seq), end, 'latin1');
  end += target.write(BEFORE_DATA[kind], end, 'latin1');
  end += bytes.copy(target, end);
  return end + target.write(FRAME_END, end, 'latin1');
}

/** Splits frames at their ends: the bytes of an event are one line. */
export function* framesIn(bytes: Buffer, kind: StreamKind): Generator<FramePlace> {
  for (let from = 0; from < bytes.length; ) {
    let seq = 0;
    let at = from + ID.length;
    for (let digit = bytes[at]! - ZERO; digit >= 0; digit = bytes[++at]! - ZERO) seq = seq * 10 + digit;
    const dataFrom = at + BEFORE_DATA[kind].length;
    const dataTo = bytes.indexOf(FRAME_END, dataFrom, 'latin1');
    const to = dataTo + FRAME_END.length;
    yield { seq, from, to, dataFrom, dataTo };
    from = to;
  }
}

/** A frame about the stream itself, without a number. */
export function controlFrame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}${FRAME_END}`;
}
