import type { SessionInfo } from '../../protocol/index.ts';

/** Age in the largest unit: 40s, 12m, 3h, 5d. */
export function ageOf(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** The end of a session in one word: its exit code or signal, or the reason. */
export function endWord({ exit_code, signal, reason }: NonNullable<SessionInfo['end']>): string {
  const own = reason === 'exited' || reason === 'killed';
  return own ? (signal ?? String(exit_code ?? reason)) : reason;
}

/** The same as part of a sentence. */
export function endText(end: NonNullable<SessionInfo['end']>): string {
  const { exit_code, signal, reason } = end;
  const how = signal === null ? (exit_code === null ? null : `exit code ${exit_code}`) : `killed by ${signal}`;
  const why = WHY[reason];
  return [why, how].filter((part) => part !== null).join(', ') || 'unknown';
}

const WHY: Record<NonNullable<SessionInfo['end']>['reason'], string | null> = {
  exited: null,
  killed: null,
  destroyed: 'it was ended',
  idle: 'it was idle for its --idle time',
  life: 'its --life was over',
  limit: 'it went over one of its limits',
  stuck: 'its shell did not come back from a command that was ended',
  failed: 'it failed',
};
