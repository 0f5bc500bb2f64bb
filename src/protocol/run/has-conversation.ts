import type { RunRecord } from './run.ts';

/** True for an engine's parsed output; the output of a command or an unparsed engine is plain text. */
export function hasConversation({ engine, request, launch }: RunRecord): boolean {
  const isParsed = typeof request === 'object' ? request.parse !== false : launch?.parse !== false;
  return engine !== 'text' && engine !== 'terminal' && isParsed;
}
