import { isEvent, type RaspEvent } from '../../../src/protocol/index.ts';

export type RunSkill = NonNullable<ReturnType<typeof skillOfRun>>;

/** The skill that a run is about, as it was when the run was accepted; null if it has none. */
export function skillOfRun(events: readonly RaspEvent[]) {
  const first = events.find((event) => isEvent(event, 'lifecycle.run.requested'));
  const request = first && isEvent(first, 'lifecycle.run.requested') ? first.data.request : undefined;
  const main = request?.packages?.find(({ role }) => role === 'main');
  if (!request || !main) return null;
  return { main, extra: request.packages!.filter(({ role }) => role === 'extra'), request };
}
