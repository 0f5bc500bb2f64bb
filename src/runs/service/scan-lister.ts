import path from 'node:path';
import type { RunRecord } from '../../protocol/index.ts';
import { listRunIds, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { ListQuery } from '../director-api.ts';
import type { RunLister } from './director.ts';

/** Lists runs from their folders, newest first, without an index: right, and slow where there are many. */
export function scanLister(home: DataHome): RunLister {
  const records = new Map<string, RunRecord>();
  return {
    put: (record) => void records.set(record.run_id, record),
    remove: (runId) => void records.delete(runId),
    endedIds: () => [],
    close: () => records.clear(),
    list({ status, engine, q, cursor, limit }: ListQuery) {
      const ids = listRunIds(home.runs).reverse();
      const matching = ids
        .map((runId) => records.get(runId) ?? readIfWhole(home, runId))
        .filter((record) => record !== null)
        .filter(
          (record) =>
            (status === undefined || record.status === status) && (engine === undefined || record.engine === engine),
        )
        .filter((record) => q === undefined || textOf(record).includes(q.toLowerCase()));
      const from = cursor === undefined ? 0 : matching.findIndex(({ run_id }) => run_id === cursor) + 1;
      const page = matching.slice(from, from + limit);
      const more = from + limit < matching.length;
      return { records: page, next_cursor: more ? page.at(-1)!.run_id : null, total: matching.length };
    },
  };
}

function textOf({ run_id, launch, command }: RunRecord): string {
  return `${run_id} ${launch?.prompt ?? ''} ${command.join(' ')}`.toLowerCase();
}

function readIfWhole(home: DataHome, runId: string): RunRecord | null {
  try {
    return readRunRecord(runFolderAt(path.join(home.runs, runId)));
  } catch {
    return null; // Just being made, or damaged: tacho runs tells of those.
  }
}
