import { type FormEvent, useId, useState } from 'react';
import { eventAt, lengthOf, timeOf } from '../../../src/record/index.ts';
import { parsePlace } from '../../model/place.ts';
import type { View } from '../../model/view.ts';
import { Dialog } from '../../parts/controls/dialog.tsx';
import { useAction } from '../../state/actions.tsx';
import type { RunSession } from '../../state/run-session.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Goes to an event number or a time that the user enters. */
export function GoToDialog() {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  useAction('go-to', () => setOpen(true));
  return (
    isOpen && (
      <Dialog title={text(strings.run.goTo)} onClose={() => setOpen(false)}>
        <GoToForm onDone={() => setOpen(false)} />
      </Dialog>
    )
  );
}

function GoToForm({ onDone }: { onDone(): void }) {
  const text = useText();
  const session = useSession();
  const id = useId();
  const [written, setWritten] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  function submit(event: FormEvent) {
    event.preventDefault();
    const place = placeIn(session, written);
    if ('change' in place) {
      session.view.change(place.change);
      onDone();
    } else {
      const { seq } = place;
      const { length } = session.model.events;
      setProblem(seq === null ? text(strings.run.goToWrong) : text(strings.run.notInRun)(seq, length));
    }
  }

  return (
    <form className="go-to" onSubmit={submit}>
      <label htmlFor={id}>{text(strings.run.goToLabel)}</label>
      <input
        id={id}
        className="bytes"
        autoComplete="off"
        placeholder={text(strings.run.goToHint)}
        value={written}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => setWritten(target.value)}
      />
      <button type="submit" className="primary">
        {text(strings.run.go)}
      </button>
      <p id={`${id}-problem`} role="status" className="run-lost">
        {problem}
      </p>
    </form>
  );
}

/** The place; the missing event; or null if the text is not a place. */
function placeIn({ model }: RunSession, written: string): { change: Partial<View> } | { seq: number | null } {
  const place = parsePlace(written);
  if (place === null) return { seq: null };
  if (place.kind === 'time') {
    return { change: { time: Math.min(place.ms, lengthOf(model)), following: false } };
  }
  const event = eventAt(model, place.seq);
  if (event === undefined) return { seq: place.seq };
  return { change: { selection: { kind: 'event', seq: event.seq }, time: timeOf(model, event), following: false } };
}
