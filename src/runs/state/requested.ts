import type { RaspData, RunRecord } from '../../protocol/index.ts';

/** How the event that begins an attempt tells what was asked for; the record holds nothing unmasked. */
export function requestedOf(
  { command, cwd, mode, request }: RunRecord,
  { session = null, priority }: { session?: string | null; priority?: number } = {},
): RaspData<'lifecycle.run.requested'> {
  return {
    command,
    cwd,
    session_id: session,
    ...(mode ? { mode } : {}),
    ...(typeof request === 'object' ? { request } : {}),
    ...(priority === undefined ? {} : { priority }),
  };
}
