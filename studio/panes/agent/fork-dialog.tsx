import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { AgentFork } from '../../../src/protocol/index.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Dialog } from '../../parts/controls/dialog.tsx';
import { Field } from '../../parts/controls/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useText } from '../../text/language.ts';
import { agent as words } from '../../text/sections/agent.ts';
import { strings } from '../../text/strings.ts';

interface ForkRequest {
  at: number;
  message?: string;
  into?: string;
  resume: boolean;
}

interface Props {
  at: number;
  last: number;
  fork(request: ForkRequest): Promise<AgentFork>;
  onClose(): void;
}

/** Makes a new run from the beginning of this one, and shows how it continues. */
export function ForkDialog({ at, last, fork, onClose }: Props) {
  const text = useText();
  const [done, setDone] = useState<AgentFork | null>(null);
  return (
    <Dialog title={text(words.fork.title)} onClose={onClose}>
      {done === null ? (
        <ForkForm at={at} last={last} fork={fork} onDone={setDone} onClose={onClose} />
      ) : (
        <Forked fork={done} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ForkForm({ at, last, fork, onDone, onClose }: Props & { onDone(fork: AgentFork): void }) {
  const text = useText();
  const [event, setEvent] = useState(String(at));
  const [message, setMessage] = useState('');
  const [folder, setFolder] = useState('');
  const [resume, setResume] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const seq = /^\d{1,15}$/.test(event.trim()) ? Number(event) : 0;
  const eventProblem = seq >= 1 && seq <= last ? null : text(words.fork.wrongEvent);
  const folderProblem = folder === '' || folder.startsWith('/') ? null : text(words.fork.wrongFolder);

  async function submit(submitted: FormEvent) {
    submitted.preventDefault();
    setChecked(true);
    if (eventProblem !== null || folderProblem !== null) return;
    setBusy(true);
    setError(null);
    try {
      onDone(
        await fork({
          at: seq,
          ...(message.trim() === '' ? {} : { message }),
          ...(folder === '' ? {} : { into: folder }),
          resume,
        }),
      );
    } catch (thrown) {
      setError(thrown as Error);
      setBusy(false);
    }
  }

  return (
    <form className="agent-fork" onSubmit={submit}>
      <p className="quiet">{text(words.fork.means)}</p>
      <Field
        label={text(words.fork.at)}
        className="bytes"
        value={event}
        onChange={setEvent}
        problem={isChecked ? eventProblem : null}
        hint={text(words.fork.atHint)(last)}
      />
      <Field
        label={text(words.fork.message)}
        rows={4}
        spellCheck
        value={message}
        onChange={setMessage}
        problem={null}
        hint={text(words.fork.messageHint)}
      />
      <Field
        label={text(words.fork.folder)}
        className="bytes"
        value={folder}
        onChange={setFolder}
        problem={isChecked ? folderProblem : null}
        hint={text(words.fork.folderHint)}
      />
      <label className="agent-fork-resume">
        <input type="checkbox" checked={resume} onChange={({ target }) => setResume(target.checked)} />{' '}
        {text(words.fork.resume)}
      </label>
      <Problem error={error} />
      <p className="agent-fork-buttons">
        <button type="button" onClick={onClose}>
          {text(strings.app.cancel)}
        </button>
        <button type="submit" className="primary" disabled={isBusy} aria-busy={isBusy}>
          {text(isBusy ? words.fork.creating : words.fork.create)}
        </button>
      </p>
    </form>
  );
}

function Forked({ fork, onClose }: { fork: AgentFork; onClose(): void }) {
  const text = useText();
  const { run_id, workspace, restored, not_restored, command, run } = fork;
  const line = command
    .map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
  return (
    <div className="agent-fork">
      <p role="status">
        <span aria-hidden="true">✓</span> {text(words.fork.done)} {text(words.fork.restored)(restored)}
      </p>
      <dl className="agent-facts">
        <div>
          <dt>{text(words.fork.runId)}</dt>
          <dd>
            <code>{showUnseen(run_id)}</code>
          </dd>
        </div>
        <div>
          <dt>{text(words.fork.workspace)}</dt>
          <dd>{showUnseen(workspace)}</dd>
        </div>
      </dl>
      {not_restored.length > 0 && (
        <>
          <p>{text(words.fork.notRestored)}</p>
          <ul className="agent-list">
            {not_restored.map(({ path, reason }) => (
              <li key={path}>
                <bdi className="bytes">{showUnseen(path)}</bdi> <span className="quiet">{showUnseen(reason)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {run === null ? (
        <>
          <p>{text(words.fork.continueWith)}</p>
          <p className="agent-command">
            <code>{showUnseen(line)}</code>
            <CopyButton className="small" label={text(strings.app.copy)} text={() => line} />
          </p>
        </>
      ) : (
        <p>
          <Link href={`/runs/${run}`} onClick={onClose}>
            {text(words.fork.open)}
          </Link>
        </p>
      )}
      <p className="agent-fork-buttons">
        <button type="button" className="primary" onClick={onClose}>
          {text(strings.app.close)}
        </button>
      </p>
    </div>
  );
}
