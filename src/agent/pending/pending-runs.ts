import path from 'node:path';
import { listAgentRuns, pathsIn } from '../wal/index.ts';
import { type RunDecisions, withDecisionsOf } from './run-decisions.ts';

const ENDED: readonly string[] = ['run_completed', 'run_failed', 'run_cancelled'];

/**
 * Something from each run that has not ended, as far as it can be read. What a run does not wait for any more is left
 * out: its call was closed or interrupted.
 */
export async function fromOpenRuns<T>(
  workspaceRoot: string,
  { take, idOf }: { take: (decisions: RunDecisions) => T[]; idOf: (entry: T) => string },
): Promise<T[]> {
  const runs = await listAgentRuns(workspaceRoot);
  return runs
    .filter(({ last, problem }) => problem === null && last !== null && !ENDED.includes(last.type))
    .flatMap(({ locator, waits_for }) => {
      try {
        const found = withDecisionsOf(pathsIn(path.dirname(locator)), take) ?? [];
        return waits_for === null ? found : found.filter((entry) => waits_for.includes(idOf(entry)));
      } catch {
        // A damaged vault: resuming the run says more about it.
        return [];
      }
    });
}
