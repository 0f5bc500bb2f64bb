import { type StreamName, streamNameSchema, type TerminalView } from '../../protocol/index.ts';

/** How many bytes of each stream were sent. */
export type Cursors = Partial<Record<StreamName, number>>;

export const CURSOR_PATTERN = /^\d{1,15}(\.\d{1,15})?$/;

export function streamsOf({ streams }: TerminalView): StreamName[] {
  return streamNameSchema.options.filter((stream) => streams[stream] !== undefined);
}

/** As the id of a frame: `stdout`, or `stdout.stderr` if the session has both. */
export function writeCursors({ stdout = 0, stderr }: Cursors): string {
  return stderr === undefined ? String(stdout) : `${stdout}.${stderr}`;
}

/** Null if they do not fit this session: it has other streams, or has printed less. */
export function readCursors(text: string, view: TerminalView): Cursors | null {
  const positions = CURSOR_PATTERN.test(text) ? text.split('.').map(Number) : [];
  const streams = streamsOf(view);
  if (positions.length !== streams.length) return null;
  const cursors: Cursors = {};
  for (const [index, stream] of streams.entries()) {
    if (positions[index]! > view.streams[stream]!.end) return null;
    cursors[stream] = positions[index]!;
  }
  return cursors;
}

/** The same; also null if some of the output after them is no longer buffered. */
export function heldCursors(text: string, view: TerminalView): Cursors | null {
  const cursors = readCursors(text, view);
  const isHeld = cursors && streamsOf(view).every((stream) => cursors[stream]! >= view.streams[stream]!.start);
  return isHeld ? cursors : null;
}
