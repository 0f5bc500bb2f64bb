import * as z from 'zod';
import { type SessionInfo, sessionInfoSchema } from '../../protocol/index.ts';

const MAX_COMMAND = 200;

/** What a model needs to know about a session. More would only fill its context: a list may have hundreds. */
export const sessionBriefSchema = sessionInfoSchema
  .pick({
    session_id: true,
    kind: true,
    name: true,
    state: true,
    pid: true,
    cwd: true,
    exited: true,
    closed: true,
    end: true,
    streams: true,
    recording: true,
  })
  .extend({ command: z.string().describe('The command line, shortened if long.') });
type SessionBrief = z.output<typeof sessionBriefSchema>;

export function toBrief(info: SessionInfo): SessionBrief {
  const { session_id, kind, name, state, pid, cwd, exited, closed, end, streams, recording } = info;
  const words = info.argv.join(' ');
  const command = words.length > MAX_COMMAND ? `${words.slice(0, MAX_COMMAND)}…` : words;
  return { session_id, kind, name, state, pid, cwd, exited, closed, end, streams, recording, command };
}

export function describeSession(brief: SessionBrief): string {
  const { session_id, kind, name, state, cwd, end, streams, recording, command } = brief;
  const cursors = Object.entries(streams).map(([stream, { end: cursor }]) => `${stream} is at ${cursor}`);
  const parts = [
    `${session_id}${name === null ? '' : ` "${name}"`}: ${kind}, ${state}`,
    ...(end ? [describeSessionEnd(end)] : []),
    `in ${cwd}`,
    // The command line of a shell is of no interest.
    ...(kind === 'shell' ? [] : [`runs ${command}`]),
    ...cursors,
    ...(recording ? [`kept as run ${recording.run_id}`] : []),
  ];
  return parts.join(', ');
}

export function describeSessionEnd({ exit_code, signal, reason }: NonNullable<SessionInfo['end']>): string {
  const how = exit_code === null ? `by ${signal ?? 'no known signal'}` : `with exit code ${exit_code}`;
  return `ended ${how} (${reason})`;
}
