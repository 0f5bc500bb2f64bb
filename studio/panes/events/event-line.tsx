import type { RaspEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel, timeOf } from '../../../src/record/index.ts';
import type { EventRow } from '../../model/events/event-rows.ts';
import { summarizeEvent } from '../../model/events/event-summary.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { clock, duration } from '../../model/times.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Maximum number of characters of an event in a row; the Event tab has the rest. */
const MAX_JSON = 1000;

/** The cells of a row of the table. */
export function EventLine({ model, row, before }: { model: RunModel; row: EventRow; before: EventRow | undefined }) {
  const event = eventAt(model, row.seq)!;
  const { source, attempt_number } = event;
  return (
    <>
      <Cell name="seq">{row.seq}</Cell>
      <Cell name="time" title={event.ts}>
        {clock(timeOf(model, event), { tenths: true })}
        {before && <span className="event-delta">{delta(model, event, before)}</span>}
      </Cell>
      <Cell name="source" title={`${source.engine} · ${source.parser}`}>
        {source.stream ?? source.parser}
      </Cell>
      <Cell name="event" family={event.event.category}>
        {event.event.type}
      </Cell>
      <Cell name="summary">
        {event.event.type === 'tool.call.started' && <CallEnd model={model} event={event} row={row} />}
        {showUnseen(summarizeEvent(event))}
      </Cell>
      <Cell name="confidence">{source.confidence}</Cell>
      <Cell name="attempt">{attempt_number}</Cell>
    </>
  );
}

export function EventJson({ event }: { event: RaspEvent }) {
  return (
    <>
      <Cell name="seq">{event.seq}</Cell>
      <Cell name="json">{showUnseen(JSON.stringify(event).slice(0, MAX_JSON))}</Cell>
    </>
  );
}

/** Duration of a call, in the row that represents all of it. */
function CallEnd({ model, event, row }: { model: RunModel; event: RaspEvent; row: EventRow }) {
  const text = useText();
  const end = row.endSeq === null ? undefined : eventAt(model, row.endSeq);
  if (!end) return null;
  const failed = end.event.type === 'tool.call.failed';
  return (
    <span className="event-call" data-failed={failed} title={end.event.type}>
      {failed ? `✕ ${text(strings.status.failed)} ` : '✓ '}
      {duration(Date.parse(end.ts) - Date.parse(event.ts))}
    </span>
  );
}

function Cell(props: { name: string; title?: string; family?: string; children: React.ReactNode }) {
  const { name, title, family, children } = props;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: rows have the focus, cells do not.
    // biome-ignore lint/a11y/useSemanticElements: rows are laid out by a virtual list, not by a table.
    <div role="gridcell" className={`event-cell event-${name}`} title={title} data-family={family}>
      {children}
    </div>
  );
}

function delta(model: RunModel, event: RaspEvent, before: EventRow): string {
  const ms = timeOf(model, event) - timeOf(model, eventAt(model, before.seq)!);
  return ms === 0 ? '' : `${ms < 0 ? '−' : '+'}${duration(Math.abs(ms))}`;
}
