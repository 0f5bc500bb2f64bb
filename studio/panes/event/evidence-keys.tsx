import { eventAt, timeOf } from '../../../src/record/index.ts';
import { inWindow } from '../../model/times.ts';
import { useAction } from '../../state/actions.tsx';
import { seqOfSelection } from '../../state/coverage-of.ts';
import { selectEvent } from '../../state/select.ts';
import { useSession } from '../../state/use-run.tsx';

/** Keys that show the evidence of the selection: event, bytes, diagnostics. They work in every tab. */
export function EvidenceKeys() {
  const session = useSession();
  const { view, model } = session;
  const selectedSeq = () => seqOfSelection(session, view.get().selection);

  useAction('raw', () => {
    const { selection } = view.get();
    if (selection?.kind === 'bytes') return view.change({ tab: 'raw' });
    const seq = selectedSeq();
    return seq === null ? false : selectEvent(session, seq, { tab: 'raw' });
  });
  useAction('event', () => {
    const seq = selectedSeq();
    return seq === null ? false : selectEvent(session, seq, { tab: 'event' });
  });
  useAction('diagnostics', () => view.change({ tab: 'diagnostics' }));
  useAction('next-diagnostic', () => {
    const { window } = view.get();
    const shown = model.diagnostics.filter((seq) => inWindow(window, timeOf(model, eventAt(model, seq)!)));
    const here = selectedSeq() ?? 0;
    const next = shown.find((seq) => seq > here) ?? shown[0];
    return next === undefined ? false : selectEvent(session, next);
  });
  return null;
}
