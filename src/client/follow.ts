import { type StreamClosed, type StreamOpened, TachoError } from '../protocol/index.ts';
import { parseJson } from './answer-error.ts';
import { answers } from './answers.ts';
import { framesOf, type ReconnectOptions, type StreamSource } from './reconnect.ts';
import { checked } from './transport.ts';

export interface FollowOptions extends ReconnectOptions {
  /** The last consumed `seq`; 0 or undefined for the whole run. */
  cursor?: number | undefined;
  /** Whether to include the pieces of streamed messages (default: true). */
  deltas?: boolean | undefined;
  /** Whether to include the whole text of raw output (default: its beginning, with `truncated`). */
  full?: boolean | undefined;
  /** A connection is open. Events up to `head_seq` are history, later ones are live. */
  onOpened?: ((opened: StreamOpened) => void) | undefined;
  /**
   * The cursor is not from this run: the stream restarts at 1, and events consumed before do not count. Without this
   * function a reset is an error.
   */
  onReset?: ((opened: StreamOpened) => void) | undefined;
}

interface Vocabulary<T> {
  /** Name of the frames that contain an event. */
  frame: string;
  parse(value: unknown, place: string): T;
}

/** Every event after the cursor, then live ones, across lost connections: no duplicates, no gaps, in order. */
export async function* follow<T extends { seq: number }>(
  source: Omit<StreamSource, 'query'>,
  { frame: wanted, parse }: Vocabulary<T>,
  { cursor = 0, deltas = true, full, onOpened, onReset, ...options }: FollowOptions,
): AsyncGenerator<T, void, undefined> {
  const place = source.path.join('/');
  let last = cursor;
  const query = () => ({ cursor: last, deltas, full });
  const onTerminal = ({ last_seq }: StreamClosed) => {
    // Without deltas their numbers are missing, so a gap in the numbers means nothing.
    if (deltas && last < last_seq) throw missing(last, last_seq + 1);
  };

  function open(opened: StreamOpened): void {
    onOpened?.(opened);
    if (opened.resume === 'ok') return;
    if (onReset) onReset(opened);
    else if (last > 0)
      throw lost(place, `the run has no event ${last}: the cursor is of another run`, { cursor: last });
    last = 0;
  }

  function missing(before: number, seq: number): TachoError {
    return lost(place, `event ${before + 1} is missing`, { expected_seq: before + 1, seq });
  }

  for await (const frames of framesOf({ ...source, query, onTerminal }, options)) {
    for (const { event: name, data } of frames) {
      if (options.signal?.aborted) return;
      if (name === 'stream.opened') open(checked(answers.opened, parseJson(data), place));
      if (name !== wanted) continue;
      const event = parse(parseJson(data), place);
      if (event.seq <= last) continue;
      if (deltas && event.seq !== last + 1) throw missing(last, event.seq);
      last = event.seq;
      yield event;
    }
  }
}

function lost(place: string, message: string, facts: Record<string, unknown>): TachoError {
  return new TachoError('JOURNAL_DAMAGED', message, {
    facts: { stream: place, ...facts },
    fix: 'Read the run from its beginning.',
  });
}
