import path from 'node:path';
import { listAgentRuns, pathsIn } from '../wal/index.ts';
import { type RunDecisions, withDecisionsOf } from './run-decisions.ts';

const ENDED: readonly string[] = ['run_completed', 'run_failed', 'run_cancelled'];

/** Something from each run that has not ended, as far as it can be read. */
export async function fromOpenRuns<T>(workspaceRoot: string, take: (decisions: RunDecisions) => T[]): Promise<T[]> {
  const runs = await listAgentRuns(workspaceRoot);
  return runs
    .filter(({ last, problem }) => problem === null && last !== null && !ENDED.includes(last.type))
    .flatMap(({ locator }) => {
      try {
        return withDecisionsOf(pathsIn(path.dirname(locator)), take) ?? [];
      } catch {
        // A damaged vault: resuming the run says more about it.
        return [];
      }
    });
}
