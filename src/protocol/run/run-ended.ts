import type { RunStatus } from './run.ts';

const STATUSES: Readonly<Record<RunStatus, true>> = {
  queued: true,
  running: true,
  waiting_user: true,
  waiting_approval: true,
  succeeded: true,
  failed: true,
  canceled: true,
};

/** False for a status that only a newer version of tacho knows. */
export function isRunStatus(status: string): status is RunStatus {
  return Object.hasOwn(STATUSES, status);
}

/** The statuses a run stays in unless it is reopened. */
export const ENDED_STATUSES = ['succeeded', 'failed', 'canceled'] as const satisfies readonly RunStatus[];

/** True when nothing more happens in the run by itself. The one definition of "has ended". */
export function hasEnded({ status }: { status: string }): boolean {
  return (ENDED_STATUSES as readonly string[]).includes(status);
}

const PHRASES: Readonly<Record<RunStatus, string>> = {
  queued: 'is queued',
  running: 'is running',
  waiting_user: 'is waiting for an answer',
  waiting_approval: 'is waiting for an approval',
  succeeded: 'has succeeded',
  failed: 'has failed',
  canceled: 'was canceled',
};

/** For messages: `run 3f2a9c1b has failed`. */
export function statusPhrase({ status }: { status: string }): string {
  return isRunStatus(status) ? PHRASES[status] : `is ${status}`;
}

/** True while the run waits for a person. */
export function isWaiting({ status }: { status: string }): boolean {
  return status === 'waiting_user' || status === 'waiting_approval';
}

/** True when the run has ended and its record is complete and no longer written to. */
export function isSealed({ status, live }: { status: string; live: unknown }): boolean {
  return live === null && hasEnded({ status });
}
