import path from 'node:path';
import { listRunIds, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { RegisteredAgent } from './registered-agents.ts';

/** The run of the engine `agent` whose session this is, such as one that a person continues with `tacho agent resume`. */
export function findEngineRun({ runs }: DataHome, { run_id, workspace }: RegisteredAgent): string | null {
  const ids = listRunIds(runs).filter((id) => id.includes('-agent-'));
  const found = ids.findLast((id) => {
    try {
      const { engine, session_id, cwd, request } = readRunRecord(runFolderAt(path.join(runs, id)));
      // One that has just begun does not know its session yet.
      const isAsked = typeof request === 'object' && (request.engine_args ?? []).includes(run_id);
      return engine === 'agent' && cwd === workspace && (session_id === run_id || isAsked);
    } catch {
      return false; // It cannot be read, so nothing can be added to it.
    }
  });
  return found ?? null;
}
