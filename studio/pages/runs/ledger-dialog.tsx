import '../../parts/seal-notes.css';
import './ledger-dialog.css';
import { type FormEvent, useState } from 'react';
import type { SinceAnswer } from '../../../src/client/index.ts';
import { grouped } from '../../model/run-figures.ts';
import { Dialog } from '../../parts/controls/dialog.tsx';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { ledger as words } from '../../text/sections/ledger.ts';

type State =
  | { phase: 'asked' | 'checking' }
  | { phase: 'done'; answer: SinceAnswer }
  | { phase: 'failed'; why: string };

/** Checks all runs of the server against a ledger head that the user kept. */
export function LedgerDialog({ onClose }: { onClose(): void }) {
  const text = useText();
  const client = useClient()!;
  const [head, setHead] = useState('');
  const [deep, setDeep] = useState(false);
  const [state, setState] = useState<State>({ phase: 'asked' });

  async function check(event: FormEvent) {
    event.preventDefault();
    setState({ phase: 'checking' });
    try {
      setState({ phase: 'done', answer: await client.verifySince(head.trim(), { deep }) });
    } catch (error) {
      setState({ phase: 'failed', why: (error as Error).message });
    }
  }

  return (
    <Dialog title={text(words.title)} onClose={onClose}>
      <form className="ledger-form" onSubmit={check}>
        <p>{text(words.explain)}</p>
        <textarea
          className="bytes"
          rows={4}
          aria-label={text(words.head)}
          value={head}
          onChange={({ target }) => setHead(target.value)}
        />
        <label>
          <input type="checkbox" checked={deep} onChange={({ target }) => setDeep(target.checked)} /> {text(words.deep)}
        </label>
        <div className="dialog-buttons">
          <button type="submit" disabled={state.phase === 'checking' || head.trim() === ''}>
            {text(state.phase === 'checking' ? words.checking : words.check)}
          </button>
        </div>
      </form>
      {state.phase === 'failed' && (
        <p role="alert" className="ledger-failed">
          {state.why}
        </p>
      )}
      {state.phase === 'done' && <Result answer={state.answer} />}
    </Dialog>
  );
}

function Result({ answer: { verdict, problems, removed, checked } }: { answer: SinceAnswer }) {
  const text = useText();
  return (
    <div role="status" className="seal-result" data-verdict={verdict}>
      <p>
        <span aria-hidden="true">{verdict === 'intact' ? '✓' : '✕'}</span>{' '}
        {verdict === 'intact'
          ? text(words.intact)(grouped(checked.seals), grouped(checked.newer))
          : text(words.changed)}
      </p>
      <ul className="verification-problems">
        {problems.map(({ run_id, attempt, message }) => (
          <li key={`${run_id} ${attempt} ${message}`}>
            {run_id !== null && <span className="bytes">{run_id} </span>}
            {attempt !== null && `${text(words.ofAttempt)(attempt)}: `}
            {message}
          </li>
        ))}
        {removed.map(({ run_id, at }) => (
          <li key={`${run_id} ${at}`} className="quiet">
            {text(words.removed)(run_id, at)}
          </li>
        ))}
      </ul>
    </div>
  );
}
