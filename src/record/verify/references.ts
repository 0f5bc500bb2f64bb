import { attemptFileNames, EVENTS_FILE, isRaw, type OutputStream, type RaspEvent } from '../../protocol/index.ts';
import { outputRange } from '../output/whole-texts.ts';
import { withFile } from '../record-files.ts';
import type { Checking } from './checking.ts';

interface Place {
  line: number;
  byte: number;
}

/** References to one stream of an attempt, which follow each other. */
interface Stream {
  attempt: number;
  stream: OutputStream;
  /** The end of the last reference. */
  to: number;
  seq: number;
  place: Place;
}

interface Wrong {
  place: Place;
  message: string;
}

/** A log that was made up may have nothing but wrong references; a few places are enough. */
const MAX_REPORTED = 10;

/** The bytes that events with the beginning of their output refer to. */
export class References {
  readonly streams = new Map<string, Stream>();
  readonly wrong: Wrong[] = [];

  take(event: RaspEvent, place: Place): void {
    if (typeof event.event !== 'object' || event.event === null || !isRaw(event)) return;
    const { data, raw_ref, seq, attempt_number: attempt } = event;
    if (typeof data !== 'object' || data === null || data.truncated !== true) return;
    const range = outputRange(raw_ref);
    if (range === null || range.attempt_number !== attempt) {
      this.#report(place, `event ${seq} does not refer to output of its attempt`);
      return;
    }
    const { stream, byte_from, byte_to } = range;
    const key = `${stream} ${attempt}`;
    const before = this.streams.get(key);
    if (before && byte_from < before.to) {
      this.#report(place, `event ${seq} refers to bytes of ${stream} that belong to event ${before.seq}`);
    } else this.streams.set(key, { attempt, stream, to: byte_to, seq, place });
  }

  #report(place: Place, message: string): void {
    if (this.wrong.length < MAX_REPORTED) this.wrong.push({ place, message });
  }
}

/** The output that events refer to must be there, each byte for one event. */
export async function checkReferences({ files, log, problems }: Checking): Promise<void> {
  const { streams, wrong } = log.references;
  const found = [...wrong];
  for (const { attempt, stream, to, seq, place } of streams.values()) {
    if (found.length >= MAX_REPORTED) break;
    const name = attemptFileNames(attempt)[stream];
    // A file that differs from the sealed one was already reported.
    if (problems.some(({ path }) => path === name)) continue;
    const size = await withFile(files, name, async (file) => file?.size ?? 0);
    if (size < to) found.push({ place, message: `event ${seq} refers to byte ${to} of ${name}, which has ${size}` });
  }
  for (const { place, message } of found) problems.push({ kind: 'changed', path: EVENTS_FILE, ...place, message });
}
