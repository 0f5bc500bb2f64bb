import { Coverage } from '../model/bytes/coverage.ts';
import { streamOf } from '../model/bytes/raw-ranges.ts';
import type { Selection } from '../model/selection.ts';
import type { RunSession } from './run-session.ts';

const kept = new WeakMap<RunSession, Coverage>();

/** Which bytes became which events so far. */
export function coverageOf(session: RunSession): Coverage {
  const coverage = kept.get(session) ?? new Coverage();
  kept.set(session, coverage);
  coverage.update(session.model);
  return coverage;
}

/** The event of a selection; for bytes, the event made from them. */
export function seqOfSelection(session: RunSession, selection: Selection | null): number | null {
  switch (selection?.kind) {
    case 'event':
      return selection.seq;
    case 'bytes':
      return coverageOf(session).eventAt(streamOf(selection.range), selection.range.byte_from);
    case 'approval':
      return session.model.approvals.get(selection.id)?.requestedSeq ?? null;
    default:
      return null;
  }
}
