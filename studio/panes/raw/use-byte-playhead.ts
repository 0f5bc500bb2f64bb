import { useEffect } from 'react';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { eventAt, timeOf } from '../../../src/record/index.ts';
import { timeOfByte } from '../../model/bytes/byte-time.ts';
import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import { coverageOf } from '../../state/coverage-of.ts';
import { useStore } from '../../state/store.ts';
import { useSession } from '../../state/use-run.tsx';

/** Moves the playhead to the time when the first of these bytes was read, once the whole history is loaded. */
export function useBytePlayhead({ stream, attempt }: StreamName, range: ByteRange | null): void {
  const session = useSession();
  const known = useStore(session.connection, ({ phase }) => phase !== 'loading' && phase !== 'backfilling');
  const byte = range && range.byte_to > range.byte_from ? range.byte_from : null;
  useEffect(() => {
    if (byte === null || !known) return;
    const { model, view, source } = session;
    const stop = new AbortController();
    const move = (time: number) => view.change({ time, following: false }, 'replace');
    const seq = coverageOf(session).eventAt({ stream, attempt }, byte);
    const event = seq === null ? undefined : eventAt(model, seq);
    if (event) move(timeOf(model, event));
    else {
      timeOfByte({ stream, attempt }, byte, (cursor) => source.timing(attempt, cursor, stop.signal)).then(
        (time) => time !== null && !stop.signal.aborted && move(Math.max(0, time - (model.start ?? 0))),
        // Without times the playhead stays; the bytes are shown anyway.
        () => {},
      );
    }
    return () => stop.abort();
  }, [session, known, stream, attempt, byte]);
}
