import { useEffect, useState } from 'react';
import type { EngineFacts } from '../../../src/client/index.ts';
import { useClient } from '../../state/client.tsx';

/** The engines of the server; reloaded when the user returns to the page, perhaps after installing one. */
export function useEngines(): { engines: EngineFacts[] | null; problem: string | null } {
  const client = useClient()!;
  const [engines, setEngines] = useState<EngineFacts[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const load = () =>
      client.engines({ signal }).then(
        (known) => {
          setEngines(known);
          setProblem(null);
        },
        (error: Error) => {
          if (!signal.aborted) setProblem(error.message);
        },
      );
    void load();
    addEventListener('focus', load);
    return () => {
      removeEventListener('focus', load);
      ending.abort();
    };
  }, [client]);
  return { engines, problem };
}
