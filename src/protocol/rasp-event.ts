import type { RaspDraft, RaspEvent, RaspType } from './rasp.ts';

/** RASP, the back-end truth: everything that was observed, with its evidence. Wire names are snake_case and stay so. */
export const RASP_VERSION = 'rasp/1.0';

/** True when `event` is of `type`; narrows `data`, which TypeScript cannot do through the nested `event.type`. */
export function isEvent<T extends RaspType>(
  event: RaspEvent,
  type: T,
): event is Extract<RaspEvent, { event: { type: T } }> {
  return event.event.type === type;
}

export type RawType = 'raw.stdout' | 'raw.stderr' | 'raw.pty';

/** True for output without structure. */
export function isRaw(event: RaspDraft): event is RaspDraft<RawType>;
export function isRaw(event: RaspEvent): event is RaspEvent<RawType>;
export function isRaw({ event: { type } }: RaspDraft): boolean {
  return type === 'raw.stdout' || type === 'raw.stderr' || type === 'raw.pty';
}
