import fs from 'node:fs';
import path from 'node:path';
import { pollUntil, watchFolder } from '../../files/index.ts';
import { withDecisionsOf } from '../pending/run-decisions.ts';
import { type RunPaths, runPaths } from '../wal/run-folder.ts';

/** The net under the watch of the folders. */
const POLL_INTERVAL_MS = 2000;

/** Resolves when one of these approvals and questions of a run was decided. Rejects with the reason of the signal. */
export async function untilDecided(
  workspaceRoot: string,
  runId: string,
  { ids, signal }: { ids: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const paths = runPaths(workspaceRoot, runId);
  await pollUntil(() => isDecided(paths, ids), {
    everyMs: POLL_INTERVAL_MS,
    signal,
    watch: (changed) => {
      const folders = ['approvals', 'questions'].map((name) => path.join(paths.folder, name));
      const watches = folders
        .filter((folder) => fs.existsSync(folder))
        .map((folder) => watchFolder(folder, () => true, changed));
      return {
        stop: () => {
          for (const watch of watches) watch.stop();
        },
      };
    },
  });
}

function isDecided(paths: RunPaths, ids: readonly string[]): boolean {
  try {
    const found = withDecisionsOf(paths, ({ approvals, questions }) => {
      const decided = [
        ...approvals.list().flatMap(({ request, answer }) => (answer ? request.approval_id : [])),
        ...questions.list().flatMap(({ question, answer }) => (answer ? question.question_id : [])),
      ];
      return ids.some((id) => decided.includes(id));
    });
    return found ?? false;
  } catch {
    // A damaged vault: resuming the run says more about it.
    return false;
  }
}
