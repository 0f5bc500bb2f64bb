import { useEffect, useMemo } from 'react';
import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import { endOf } from '../../model/bytes/raw-window.ts';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { RawReader, type RawState } from './raw-reader.ts';

/** Beyond the end of any stream: shows the end. */
export const END = 1e14;

/** The loaded part of a stream, around a byte. A stream shown to its end grows with the run. */
export function useRawWindow({ stream, attempt }: StreamName, byte: number): { reader: RawReader; state: RawState } {
  const session = useSession();
  const { source } = session;
  const { events } = useModel();
  const reader = useMemo(() => new RawReader(source, { stream, attempt }), [source, stream, attempt]);
  useEffect(() => () => reader.close(), [reader]);
  const state = useStore(reader.state);
  useEffect(() => {
    void reader.open(byte);
  }, [reader, byte]);
  const grown = events.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: more events mean that more was printed.
  useEffect(() => {
    const { window } = reader;
    if (session.isLive && window && endOf(window) >= window.total) reader.after();
  }, [session, reader, grown]);
  return { reader, state };
}
