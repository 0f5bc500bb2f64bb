import type { RunRecord, RunStatus } from '../../../src/protocol/index.ts';
import type { RunLister } from '../../../src/runs/index.ts';

/** The minimum of an index that a director needs. */
export function memoryLister(): RunLister & { records: Map<string, RunRecord> } {
  const records = new Map<string, RunRecord>();
  return {
    records,
    put: (record) => void records.set(record.run_id, record),
    remove: (runId) => void records.delete(runId),
    endedIds: () => [],
    countByStatus: () => {
      const counts: Partial<Record<RunStatus, number>> = {};
      for (const { status } of records.values()) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    list: () => ({ records: [...records.values()], next_cursor: null, total: records.size }),
    close: () => {},
  };
}
