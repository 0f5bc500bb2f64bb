import { eventAt } from '../../../src/record/index.ts';
import './event-pane.css';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { seqOfSelection } from '../../state/coverage-of.ts';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { NotInRun } from '../events/not-in-run.tsx';
import { EventEnvelope } from './event-envelope.tsx';

/** All facts about the selected event. */
export function EventPane() {
  const text = useText();
  const session = useSession();
  const model = useModel();
  const selection = useView((view) => view.selection);
  const seq = seqOfSelection(session, selection);
  const event = seq === null ? undefined : eventAt(model, seq);

  function go(to: number): boolean {
    if (!eventAt(model, to)) return false;
    selectEvent(session, to, { step: 'replace' });
    return true;
  }
  const last = model.events.length;
  useAction('next-row', () => go((seq ?? 0) + 1), 'event');
  useAction('previous-row', () => go((seq ?? last + 1) - 1), 'event');
  useAction('first', () => go(1), 'event');
  useAction('last', () => go(last), 'event');

  return (
    <Pane
      name="event"
      title={text(strings.tabs.event)}
      tools={
        <>
          {event && <CopyButton label={text(strings.events.copyJson)} text={() => JSON.stringify(event, null, 2)} />}
          <button
            type="button"
            aria-label={text(strings.events.previous)}
            title={withKey(text(strings.events.previous), 'previous-row')}
            disabled={seq === null || !eventAt(model, seq - 1)}
            onClick={() => go(seq! - 1)}
          >
            ‹
          </button>
          <button
            type="button"
            aria-label={text(strings.events.next)}
            title={withKey(text(strings.events.next), 'next-row')}
            disabled={seq === null || !eventAt(model, seq + 1)}
            onClick={() => go(seq! + 1)}
          >
            ›
          </button>
        </>
      }
    >
      <NotInRun />
      {event ? (
        <EventEnvelope key={event.seq} event={event} />
      ) : (
        seq === null && <p className="notice">{text(strings.events.select)}</p>
      )}
    </Pane>
  );
}
