import { useEffect, useState } from 'react';
import type { ByteSpan, StreamName } from '../../model/bytes/raw-ranges.ts';
import { useSession } from '../../state/use-run.tsx';

const TYPING_MS = 250;

export interface RawSearch {
  q: string;
  matches: readonly ByteSpan[];
  /** Where the server stopped; null if it searched everything. */
  next: number | null;
  size: number;
  searching: boolean;
  error: Error | null;
}

const NOTHING: RawSearch = { q: '', matches: [], next: null, size: 0, searching: false, error: null };

/** Searches the whole stream where it is stored. `more` continues where it stopped. */
export function useRawSearch({ stream, attempt }: StreamName, q: string): { search: RawSearch; more(): void } {
  const { source } = useSession();
  const [search, setSearch] = useState(NOTHING);
  const [from, setFrom] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text or stream is searched from its beginning.
  useEffect(() => {
    setFrom(0);
    setSearch({ ...NOTHING, q, searching: q !== '' });
  }, [q, stream, attempt, source]);

  useEffect(() => {
    if (q === '') return;
    const stop = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const answer = await source.searchRaw(stream, attempt, q, from, stop.signal);
          const found = answer.matches.map(({ byte_from, byte_to }) => ({ from: byte_from, to: byte_to }));
          setSearch((before) => ({
            q,
            matches: from === 0 ? found : [...before.matches, ...found],
            next: answer.next_from,
            size: answer.size,
            searching: false,
            error: null,
          }));
        } catch (error) {
          if (!stop.signal.aborted) setSearch({ ...NOTHING, q, error: error as Error });
        }
      },
      from === 0 ? TYPING_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [q, from, stream, attempt, source]);

  return { search, more: () => search.next !== null && setFrom(search.next) };
}
