import path from 'node:path';
import { listRunIds, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { RegisteredAgent } from './registered-agents.ts';

/** The run of the engine `agent` whose session this is, such as one that a person continues with `tacho agent resume`. */
export function findEngineRun({ runs }: DataHome, { run_id, workspace }: RegisteredAgent): string | null {
  const ids = listRunIds(runs).filter((id) => id.includes('-agent-'));
  const found = ids.findLast((id) => {
    try {
      const { engine, session_id, cwd } = readRunRecord(runFolderAt(path.join(runs, id)));
      return engine === 'agent' && session_id === run_id && cwd === workspace;
    } catch {
      return false; // It cannot be read, so nothing can be added to it.
    }
  });
  return found ?? null;
}
