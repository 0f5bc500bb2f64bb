import { withoutDoneMarker } from '../../src/conversation/index.ts';
import type { FcmpMessage, RunView } from '../../src/protocol/index.ts';

/** The first request of a run; null if there is none, or if it has not arrived yet. */
export function firstRequest(messages: readonly FcmpMessage[]): string | null {
  const first = messages.find((message) => message.type === 'user.message');
  return first?.type === 'user.message' ? first.data.text : null;
}

/** The title of a run: its skill, its first request, or its command. The run record only has the latest request. */
export function titleOf(run: RunView | null, request: string | null): string {
  if (run === null) return request === null ? '…' : firstLine(request);
  // The first message to the engine is made from the skill.
  if (run.skill !== undefined) return [run.skill, firstLine(run.prompt ?? '')].filter(Boolean).join(' ');
  return firstLine(request ?? run.prompt ?? run.command.join(' ')) || run.handle;
}

function firstLine(text: string): string {
  return withoutDoneMarker(text).trim().split('\n', 1)[0]!.slice(0, 200);
}
