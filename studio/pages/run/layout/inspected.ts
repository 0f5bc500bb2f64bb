import type { Tab } from '../../../model/view.ts';

/** The tabs of the inspector, in the order of their keys. */
export const INSPECTED: readonly Tab[] = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];
