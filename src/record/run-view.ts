import { mentionOf, RUN_FORMAT, type RunRecord, type RunView } from '../protocol/index.ts';

/** A run for display; a run from an archive is in no queue. */
export function runView(record: RunRecord, queuePosition: number | null = null): RunView {
  return {
    run_id: record.run_id,
    handle: record.handle,
    engine: record.engine,
    ...(typeof record.request === 'object' && record.request.parse_as !== undefined
      ? { parse_as: record.request.parse_as }
      : {}),
    status: record.status,
    mode: record.mode ?? 'auto',
    attempt: record.attempt,
    prompt: firstRequest(record),
    ...skillOf(record),
    command: record.command,
    cwd: record.cwd,
    session_id: record.session_id ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    priority: priorityOf(record),
    queue_position: queuePosition,
    question: record.question ?? null,
    last: record.last,
    usage: record.usage ?? null,
    times: record.times ?? null,
    head_seq: record.head_seq ?? 0,
    ...(record.source ? { source: record.source } : {}),
    ...(record.recovered ? { recovered: record.recovered } : {}),
    ...(record.format === RUN_FORMAT ? {} : { newer_format: record.format }),
  };
}

/** The first request of an engine's run. In records without a request, `launch.prompt` is the latest one. */
export function firstRequest({
  request,
  launch,
  attempt,
}: Pick<RunRecord, 'request' | 'launch' | 'attempt'>): string | null {
  if (request !== undefined) return typeof request === 'string' ? request : (request.prompt ?? null);
  return attempt <= 1 ? (launch?.prompt ?? null) : null;
}

function skillOf({ request }: RunRecord): Pick<RunView, 'skill' | 'skipped_skills'> {
  const { packages, skipped_skills } = typeof request === 'object' ? request : {};
  const main = packages?.find(({ role }) => role === 'main');
  return { ...(main ? { skill: mentionOf(main) } : {}), ...(skipped_skills ? { skipped_skills } : {}) };
}

/** As requested; records of earlier versions have it only while they are queued. */
export function priorityOf({ request, queue }: RunRecord): number {
  return (typeof request === 'object' ? request.priority : queue?.priority) ?? 0;
}
