import './files-pane.css';
import { useRef, useState } from 'react';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Changes } from './changes.tsx';
import { ComingFiles } from './coming-files.tsx';
import { FilesTools } from './files-tools.tsx';
import { useFileChanges } from './use-file-changes.ts';

const OVER = new Set(['ended', 'failed']);
/** The whole history is loaded, so an attempt without an end is still running. */
const ACTIVE_PHASES = new Set(['live', 'reconnecting']);

/** Changes of an attempt, or of the whole run, in the workspace. */
export function FilesPane() {
  const text = useText();
  const session = useSession();
  const model = useModel();
  const phase = useStore(session.connection, (now) => now.phase);
  const chosen = useView(({ attempt }) => attempt);
  const [whole, setWhole] = useState(false);
  const [filter, setFilter] = useState('');
  const attempt = chosen ?? model.attempts.at(-1)?.number ?? 1;
  const ended = model.attempts.filter(({ ending }) => OVER.has(phase) || ending !== null).map(({ number }) => number);
  const shown = whole ? ended : ended.filter((number) => number === attempt);
  const state = useFileChanges(shown);
  const input = useRef<HTMLInputElement>(null);
  useAction('search', () => input.current?.focus(), 'files');

  const going =
    ACTIVE_PHASES.has(phase) &&
    model.attempts.some(({ number, ending }) => ending === null && (whole || number === attempt));
  return (
    <Pane
      name="files"
      title={text(strings.tabs.files)}
      tools={
        <FilesTools
          attempts={model.attempts.map(({ number }) => number)}
          chosen={whole ? null : attempt}
          onChoose={(number) => {
            setWhole(number === null);
            if (number !== null) session.view.change({ attempt: number }, 'replace');
          }}
          filter={filter}
          onFilter={setFilter}
          input={input}
        />
      }
    >
      {going && <ComingFiles attempt={whole ? null : attempt} />}
      {shown.length > 0 && state.phase === 'loading' && <p className="notice">{text(strings.files.loading)}</p>}
      {state.phase === 'failed' && (
        <p className="notice" role="alert">
          {text(strings.app.failedToLoad)(state.error.message)}
        </p>
      )}
      {shown.length > 0 && state.phase === 'ready' && (
        <Changes loaded={state.loaded} attempt={whole ? null : attempt} filter={filter} />
      )}
    </Pane>
  );
}
