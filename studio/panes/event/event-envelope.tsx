import type { ReactNode } from 'react';
import type { ByteRange, RaspEvent } from '../../../src/protocol/index.ts';
import { timeOf } from '../../../src/record/index.ts';
import { rangesOf } from '../../model/bytes/raw-ranges.ts';
import { type CorrelationLink, correlationLinks } from '../../model/events/correlation-links.ts';
import { grouped } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { clock } from '../../model/times.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { JsonTree } from './json-tree.tsx';

/** The envelope of an event, part by part. */
export function EventEnvelope({ event }: { event: RaspEvent }) {
  const text = useText();
  const model = useModel();
  const { seq, ts, attempt_number, source } = event;
  const links = correlationLinks(model, event);
  const ranges = rangesOf(event.raw_ref);
  return (
    <div className="event-envelope">
      <h3 className="bytes" data-family={event.event.category}>
        {event.event.type}
      </h3>
      <dl className="event-fields">
        <Field name={text(strings.events.seq)}>{seq}</Field>
        <Field name={text(strings.events.time)}>
          {clock(timeOf(model, event), { tenths: true })} <span className="quiet">{ts}</span>
        </Field>
        <Field name={text(strings.events.attempt)}>{attempt_number}</Field>
        <Field name={text(strings.events.engine)}>{source.engine}</Field>
        <Field name={text(strings.events.parser)}>{source.parser}</Field>
        <Field name={text(strings.events.stream)}>{source.stream ?? text(strings.app.none)}</Field>
        <Field name={text(strings.events.confidence)}>{source.confidence}</Field>
        <Field name={text(strings.events.chain)}>
          <span className="quiet event-chain">{event.chain}</span>
        </Field>
      </dl>
      <Part title={text(strings.events.data)}>
        <JsonTree value={event.data} />
      </Part>
      <Part title={text(strings.events.correlation)}>
        {links.length === 0 ? (
          <p className="quiet">{text(strings.events.noCorrelation)}</p>
        ) : (
          <dl className="event-fields">
            {links.map((link) => (
              <Field key={link.name} name={link.name}>
                <Link link={link} />
              </Field>
            ))}
          </dl>
        )}
      </Part>
      <Part title={text(strings.events.bytes)}>
        {ranges.length === 0 && <p className="quiet">{text(strings.events.noBytes)}</p>}
        <div className="event-ranges">
          {ranges.map((range, index) => (
            <RangeButton key={`${range.stream}${range.byte_from}`} event={event} range={range} first={index === 0} />
          ))}
        </div>
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="event-part" aria-label={title}>
      <h4 className="small">{title}</h4>
      {children}
    </section>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="quiet">{name}</dt>
      <dd className="bytes">{children}</dd>
    </>
  );
}

function Link({ link: { value, seq, missing } }: { link: CorrelationLink }) {
  const text = useText();
  const session = useSession();
  if (seq === null) {
    return (
      <>
        {showUnseen(value)}{' '}
        <span className="quiet">{text(missing ? strings.events.notSeen : strings.events.onlyHere)}</span>
      </>
    );
  }
  return (
    <button type="button" className="event-link" onClick={() => selectEvent(session, seq)}>
      {showUnseen(value)} <span aria-hidden="true">→</span> {seq}
    </button>
  );
}

/** The first range selects the event; any other range selects the bytes. */
function RangeButton({ event, range, first }: { event: RaspEvent; range: ByteRange; first: boolean }) {
  const text = useText();
  const session = useSession();
  const { stream, attempt_number, byte_from, byte_to } = range;
  const show = () =>
    first
      ? selectEvent(session, event.seq, { tab: 'raw' })
      : session.view.change({ selection: { kind: 'bytes', range }, tab: 'raw' });
  const title = text(strings.events.showBytes);
  return (
    <button type="button" className="bytes" title={first ? withKey(title, 'raw') : title} onClick={show}>
      {stream}.{attempt_number} {grouped(byte_from)}–{grouped(byte_to)}
    </button>
  );
}
