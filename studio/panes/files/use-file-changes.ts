import { useEffect, useState } from 'react';
import { type FsDiff, type NotCovered, TachoError } from '../../../src/protocol/index.ts';
import { type FileChange, mergeDiffs } from '../../model/files/file-changes.ts';
import type { RunSource } from '../../source/run-source.ts';
import { useSession } from '../../state/use-run.tsx';

export interface LoadedChanges {
  changes: FileChange[];
  unreadable: FsDiff['unreadable'];
  /** From the last of the attempts. */
  notCovered: readonly NotCovered[];
  /** Attempts without a list of files, and why. */
  missing: { attempt: number; why: 'interrupted' | 'not_recorded' }[];
}

export type ChangesState =
  | { phase: 'loading' }
  | { phase: 'ready'; loaded: LoadedChanges }
  | { phase: 'failed'; error: Error };

/** The combined changes of these attempts. */
export function useFileChanges(attempts: readonly number[]): ChangesState {
  const { source } = useSession();
  const [state, setState] = useState<ChangesState>({ phase: 'loading' });
  const wanted = attempts.join();
  useEffect(() => {
    const ending = new AbortController();
    setState({ phase: 'loading' });
    const numbers = wanted === '' ? [] : wanted.split(',').map(Number);
    load(source, numbers, ending.signal).then(
      (loaded) => !ending.signal.aborted && setState({ phase: 'ready', loaded }),
      (error: Error) => !ending.signal.aborted && setState({ phase: 'failed', error }),
    );
    return () => ending.abort();
  }, [source, wanted]);
  return state;
}

async function load(source: RunSource, attempts: readonly number[], signal: AbortSignal): Promise<LoadedChanges> {
  const diffs: FsDiff[] = [];
  const missing: LoadedChanges['missing'] = [];
  for (const attempt of attempts) {
    try {
      diffs.push(await source.files(attempt, signal));
    } catch (error) {
      if (!(error instanceof TachoError) || error.code !== 'ATTEMPT_NOT_FOUND') throw error;
      missing.push({ attempt, why: await whyMissing(source, attempt, signal) });
    }
  }
  return {
    changes: mergeDiffs(diffs),
    unreadable: diffs.flatMap(({ unreadable }) => unreadable),
    notCovered: diffs.at(-1)?.not_covered ?? [],
    missing,
  };
}

/** An attempt that was recorded completely but has no files was recorded without them, or was imported. */
async function whyMissing(
  source: RunSource,
  attempt: number,
  signal: AbortSignal,
): Promise<'interrupted' | 'not_recorded'> {
  try {
    const { capture, failed_step } = await source.attempt(attempt, signal);
    const chosen = capture.level === 'minimal' || capture.merged_apart === true;
    return chosen || failed_step === null ? 'not_recorded' : 'interrupted';
  } catch {
    return 'interrupted';
  }
}
