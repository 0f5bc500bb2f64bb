import { useCallback, useEffect, useState } from 'react';
import type { SkillsAnswer } from '../../../src/client/index.ts';
import { TachoError } from '../../../src/protocol/index.ts';
import { useClient } from '../../state/client.tsx';

const PAGE = 200;
const RETRY_MS = 4000;

export interface SkillList {
  /** Null until first loaded. */
  answer: SkillsAnswer | null;
  isLoading: boolean;
  trouble: { error: TachoError; retryAt: number | null } | null;
  loadMore(): void;
  /** Asks all sources again. */
  rescan(): void;
}

/** The skills of the server that have these words. */
export function useSkills(words: string): SkillList {
  const client = useClient()!;
  const [answer, setAnswer] = useState<SkillsAnswer | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [trouble, setTrouble] = useState<SkillList['trouble']>(null);

  const load = useCallback(
    async (query: { cursor?: string; refresh?: boolean }, signal?: AbortSignal) => {
      setLoading(true);
      try {
        const page = await client.skills({ ...query, q: words || undefined, limit: PAGE }, { signal });
        const isNext = query.cursor !== undefined;
        setAnswer((known) => (known && isNext ? { ...page, skills: [...known.skills, ...page.skills] } : page));
        setTrouble(null);
      } catch (error) {
        if (signal?.aborted) return;
        if (!(error instanceof TachoError)) throw error;
        const passes = error.code === 'SERVER_UNREACHABLE';
        setTrouble({ error, retryAt: passes ? Date.now() + RETRY_MS : null });
      }
      setLoading(false);
    },
    [client, words],
  );

  useEffect(() => {
    const ending = new AbortController();
    void load({}, ending.signal);
    return () => ending.abort();
  }, [load]);

  const retryAt = trouble?.retryAt ?? null;
  useEffect(() => {
    if (retryAt === null) return;
    const timer = setTimeout(() => void load({}), Math.max(0, retryAt - Date.now()));
    return () => clearTimeout(timer);
  }, [retryAt, load]);

  const cursor = answer?.next_cursor;
  return {
    answer,
    isLoading,
    trouble,
    loadMore: () => void (cursor && load({ cursor })),
    rescan: () => void load({ refresh: true }),
  };
}
