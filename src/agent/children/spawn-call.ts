import fs from 'node:fs';
import { readLog } from '../wal/read-log.ts';
import { runPaths } from '../wal/run-folder.ts';
import { childRunId } from './child-id.ts';

/** The model that a child was asked for, from the call in its parent's log; null if that is gone, or named none. */
export async function spawnedModel(
  workspaceRoot: string,
  { runId, parentId }: { runId: string; parentId: string },
): Promise<string | null> {
  const paths = runPaths(workspaceRoot, parentId);
  if (!fs.existsSync(paths.log)) return null;
  for await (const { type, data } of readLog(paths, { allowTorn: true })) {
    if (type !== 'tool_call_requested' || childRunId(parentId, `${data.step}.${data.call_id}`) !== runId) continue;
    const { model } = (data.arguments ?? {}) as { model?: unknown };
    return typeof model === 'string' ? model : null;
  }
  return null;
}
