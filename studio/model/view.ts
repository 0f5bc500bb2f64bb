import type { Selection } from './selection.ts';

export const TABS = [
  'event',
  'events',
  'raw',
  'graph',
  'files',
  'diagnostics',
  'skill',
  'agent',
  'terminal',
  'conversation',
] as const;
export type Tab = (typeof TABS)[number];

/** Milliseconds since the start of the run; both ends included. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** Everything on the screen is a function of this and the run. */
export interface View {
  selection: Selection | null;
  /** The playhead, in milliseconds since the start of the run; null until it has been placed. */
  time: number | null;
  window: TimeWindow | null;
  /** At the live end, and moving with it. */
  following: boolean;
  tab: Tab;
  /** The selected attempt; null for the last one. */
  attempt: number | null;
  /** The filter of the events. */
  filter: string;
}

export const FIRST_VIEW: View = {
  selection: null,
  time: null,
  window: null,
  following: true,
  tab: 'event',
  attempt: null,
  filter: '',
};
