import type { RaspEvent, RaspType } from './rasp.ts';

/** RASP, the back-end truth: everything that was observed, with its evidence. Wire names are snake_case and stay so. */
export const RASP_VERSION = 'rasp/1.0';

/** True when `event` is of `type`; narrows `data`, which TypeScript cannot do through the nested `event.type`. */
export function isEvent<T extends RaspType>(
  event: RaspEvent,
  type: T,
): event is Extract<RaspEvent, { event: { type: T } }> {
  return event.event.type === type;
}
