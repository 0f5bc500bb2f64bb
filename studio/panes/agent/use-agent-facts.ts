import { useCallback, useEffect, useRef, useState } from 'react';
import type { AgentAnswer } from '../../../src/protocol/index.ts';
import { type AgentKnown, isGoingOn, mergeFacts, nextStepAfter } from '../../model/agent/merge-facts.ts';
import type { AgentSource } from '../../source/run-source.ts';
import { useStore } from '../../state/store.ts';
import { useSession } from '../../state/use-run.tsx';

/** Steps of one request. */
const PAGE = 1000;
/** Logs of child agents grow without an event of the run. */
const POLL_INTERVAL_MS = 2000;
/** Events come in bursts. */
const SETTLE_MS = 400;

export interface AgentFactsState {
  known: AgentKnown | null;
  error: Error | null;
  /** How many steps there are while they are loaded. */
  loadingOf: number | null;
  reload(): void;
}

/** The facts of an agent, kept up to date while it works: only what is new is loaded. */
export function useAgentFacts(source: AgentSource, agent: string | undefined): AgentFactsState {
  const session = useSession();
  const version = useStore(session.version);
  const [known, setKnown] = useState<AgentKnown | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [loadingOf, setLoadingOf] = useState<number | null>(null);
  const latest = useRef<{ agent: string | undefined; known: AgentKnown | null; loading: boolean }>({
    agent,
    known: null,
    loading: false,
  });
  const alive = useRef<AbortController | null>(null);

  const load = useCallback(async () => {
    const state = latest.current;
    const { signal } = alive.current ?? new AbortController();
    if (state.loading || signal.aborted) return;
    state.loading = true;
    try {
      let answer: AgentAnswer;
      let after = nextStepAfter(state.known);
      do {
        answer = await source.facts({ agent: state.agent, after_step: after, limit: PAGE }, signal);
        state.known = mergeFacts(state.known, answer);
        after = answer.next_step ?? after;
        setKnown(state.known);
        setLoadingOf(answer.next_step === null ? null : answer.total_steps);
      } while (answer.next_step !== null);
      setError(null);
    } catch (thrown) {
      if (!signal.aborted) setError(thrown as Error);
    } finally {
      state.loading = false;
    }
  }, [source]);

  // Another agent begins anew.
  useEffect(() => {
    const ending = new AbortController();
    alive.current = ending;
    latest.current = { agent, known: null, loading: false };
    setKnown(null);
    setError(null);
    void load();
    return () => ending.abort();
  }, [agent, load]);

  // Each change of the run may be one of the agent.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that there is more.
  useEffect(() => {
    const timer = setTimeout(() => void load(), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [version, load]);

  const isLive = known === null || isGoingOn(known);
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load();
    }, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isLive, load]);

  return { known, error, loadingOf, reload: () => void load() };
}
