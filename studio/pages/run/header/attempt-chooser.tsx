import { isTerminal, type RunModel } from '../../../../src/record/index.ts';
import type { View } from '../../../model/view.ts';
import { useModel, useSession, useView } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** Chooses the attempt. The playhead moves to its end, which shows the result. */
export function AttemptChooser() {
  const text = useText();
  const { view } = useSession();
  const model = useModel();
  const chosen = useView(({ attempt }) => attempt);
  const { attempts } = model;
  const last = attempts.at(-1)?.number ?? 1;
  if (attempts.length < 2) return null;
  return (
    <select
      className="attempt-chooser"
      aria-label={text(strings.run.chooseAttempt)}
      value={chosen ?? last}
      onChange={({ target }) => view.change(attemptChange(model, Number(target.value)))}
    >
      {attempts.map(({ number }) => (
        <option key={number} value={number}>
          {text(strings.run.attempt)(number, last)}
        </option>
      ))}
    </select>
  );
}

function attemptChange({ attempts, start, status }: RunModel, number: number): Partial<View> {
  const attempt = attempts.find((known) => known.number === number);
  if (attempt === undefined || attempt === attempts.at(-1)) {
    return { attempt: null, time: null, following: !isTerminal(status) };
  }
  return { attempt: number, time: (attempt.to ?? attempt.from) - (start ?? 0), following: false };
}
