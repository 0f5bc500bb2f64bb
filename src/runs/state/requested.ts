import type { RaspData, RunRecord } from '../../protocol/index.ts';

/** The request in the first event of an attempt; the record contains nothing unmasked. */
export function requestedOf(
  { command, cwd, mode, request, reading }: RunRecord,
  { session = null, priority }: { session?: string | null; priority?: number } = {},
): RaspData<'lifecycle.run.requested'> {
  return {
    command,
    cwd,
    session_id: session,
    ...(mode ? { mode } : {}),
    ...(typeof request === 'object' ? { request } : {}),
    ...(reading ? { reading } : {}),
    ...(priority === undefined ? {} : { priority }),
  };
}
