import { eventAt, type RunModel } from '../../../src/record/index.ts';
import './events-pane.css';
import { useState } from 'react';
import { grouped } from '../../model/run-figures.ts';
import { Choice } from '../../parts/controls/choice.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Pane } from '../../parts/layout/pane.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { EventsFilter } from './events-filter.tsx';
import { EventsGrid } from './events-grid.tsx';
import { NotInRun } from './not-in-run.tsx';
import { useEventRows } from './use-event-rows.ts';

const LOOKS = ['all', 'grouped', 'json'] as const;

/** All events of the run, as a table with a filter. */
export function EventsPane() {
  const text = useText();
  const { view, connection } = useSession();
  const model = useModel();
  const loading = useStore(connection, ({ phase }) => phase === 'loading');
  const seq = useView(({ selection }) => (selection?.kind === 'event' ? selection.seq : null));
  const [look, setLook] = useState<(typeof LOOKS)[number]>('all');
  const [applyFor, setApplyFor] = useState<number | null>(null);
  const { rows, hidden, terms, lifted } = useEventRows(look === 'grouped', seq !== null && applyFor === seq);
  return (
    <Pane
      name="events"
      title={text(strings.tabs.events)}
      tools={
        <>
          {look === 'json' && <CopyButton label={text(strings.events.copyShown)} text={() => jsonLines(model, rows)} />}
          <Choice
            label={text(strings.events.view)}
            options={LOOKS.map((value) => ({ value, label: text(strings.events[value]) }))}
            value={look}
            onChange={(value) => setLook(value)}
          />
        </>
      }
    >
      <div className="events-pane">
        <EventsFilter terms={terms} hidden={hidden} />
        <NotInRun />
        {lifted && (
          <p className="events-note small" role="status">
            {text(strings.events.lifted)}{' '}
            <button type="button" onClick={() => setApplyFor(seq)}>
              {text(strings.events.applyAgain)}
            </button>
          </p>
        )}
        {rows.length > 0 ? (
          <EventsGrid rows={rows} json={look === 'json'} />
        ) : (
          <p className="notice">
            {hidden > 0 ? (
              <>
                {text(strings.events.noMatch)(grouped(hidden))}{' '}
                <button type="button" onClick={() => view.change({ filter: '', window: null })}>
                  {text(strings.app.clear)}
                </button>
              </>
            ) : (
              text(loading ? strings.app.loading : strings.events.none)
            )}
          </p>
        )}
      </div>
    </Pane>
  );
}

function jsonLines(model: RunModel, rows: readonly { seq: number }[]): string {
  return rows.map(({ seq }) => `${JSON.stringify(eventAt(model, seq))}\n`).join('');
}
