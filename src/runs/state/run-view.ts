import type { RunRecord, RunView } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { firstRequest } from '../request/recorded-request.ts';

/** A run as it is shown to whoever asks. */
export function runView(record: RunRecord, folder: RunFolder, queuePosition: number | null): RunView {
  return {
    run_id: record.run_id,
    handle: record.handle,
    engine: record.engine,
    status: record.status,
    mode: record.mode ?? 'auto',
    attempt: record.attempt,
    prompt: firstRequest(record, folder),
    command: record.command,
    cwd: record.cwd,
    session_id: record.session_id ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    priority: record.queue?.priority ?? 0,
    queue_position: queuePosition,
    question: record.question ?? null,
    last: record.last,
    usage: record.usage ?? null,
    head_seq: record.head_seq ?? 0,
  };
}
