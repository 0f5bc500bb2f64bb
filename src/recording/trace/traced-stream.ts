import type { TracedWrite } from '../../protocol/index.ts';

/** The streams that a trace can distinguish. */
export type TracedStream = TracedWrite['stream'];
