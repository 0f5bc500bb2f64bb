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

/** What was added to the text of the skill in the last attempt, and how the engine got it; null if it is not known yet. */
export function deliveryOf(events: readonly RaspEvent[]) {
  const last = events.findLast((event) => isEvent(event, 'lifecycle.run.skills'));
  if (!last || !isEvent(last, 'lifecycle.run.skills')) return null;
  return last.data.skills.find(({ role }) => role === 'main') ?? null;
}
