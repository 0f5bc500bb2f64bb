import type { TracedWrite } from '../../protocol/index.ts';

/** The streams a trace can tell apart. */
export type TracedStream = TracedWrite['stream'];
