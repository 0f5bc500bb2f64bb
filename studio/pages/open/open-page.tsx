import { useCallback, useEffect, useRef, useState } from 'react';
import { Page } from '../../parts/layout/page.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { loadAllPanes } from '../run/layout/panes.ts';
import { RunStudio } from '../run/run-studio.tsx';
import { FileButton } from './file-button.tsx';
import { OpenBar } from './open-bar.tsx';
import { type OpenedRun, openRun } from './opened-run.ts';
import { EXPORT_COMMAND, problemText } from './problem-text.ts';
import { useFileDrop } from './use-file-drop.ts';
import './open-page.css';

type State =
  | { phase: 'empty' }
  | { phase: 'opening'; name: string }
  | { phase: 'failed'; error: Error }
  | { phase: 'open'; opened: OpenedRun };

/** A run from an archive that is dropped on the page: the same Studio, without a server. */
export function OpenPage() {
  const [state, setState] = useState<State>({ phase: 'empty' });
  const latest = useRef<OpenedRun | null>(null);
  const wanted = useRef<File | null>(null);

  const show = useCallback((file: File) => {
    wanted.current = file;
    latest.current?.session.close();
    latest.current = null;
    setState({ phase: 'opening', name: file.name });
    openRun(file).then(
      (opened) => {
        if (wanted.current !== file) return opened.session.close();
        latest.current = opened;
        setState({ phase: 'open', opened });
      },
      (error: Error) => {
        if (wanted.current === file) setState({ phase: 'failed', error });
      },
    );
  }, []);
  const over = useFileDrop(show);
  useEffect(() => {
    // When a file is dropped, the server may no longer be available to load the rest of the page.
    void loadAllPanes().catch(() => {});
    return () => {
      wanted.current = null;
      latest.current?.session.close();
    };
  }, []);

  if (state.phase !== 'open') return <Invitation state={state} over={over} onFile={show} />;
  return (
    <div className="open-run">
      <OpenBar opened={state.opened} onFile={show} />
      <RunStudio session={state.opened.session} />
    </div>
  );
}

type Waiting = Exclude<State, { phase: 'open' }>;

function Invitation({ state, over, onFile }: { state: Waiting; over: boolean; onFile(file: File): void }) {
  const text = useText();
  const busy = state.phase === 'opening';
  return (
    <Page title={text(strings.open.title)}>
      <div className="open-page" data-over={over} aria-busy={busy}>
        <h1>{text(strings.open.title)}</h1>
        <p className="quiet">{text(over ? strings.open.dropHere : strings.open.explain)}</p>
        <FileButton label={text(strings.open.choose)} primary onFile={onFile} />
        {state.phase === 'failed' && <Problem error={state.error} />}
        <p className="quiet" role="status">
          {busy ? text(strings.open.opening)(state.name) : null}
        </p>
        {state.phase !== 'failed' && (
          <p className="quiet">
            {text(strings.open.howTo)} <code>{EXPORT_COMMAND}</code>
          </p>
        )}
      </div>
    </Page>
  );
}

function Problem({ error }: { error: Error }) {
  const text = useText();
  const { said, fix, command } = problemText(error, text);
  return (
    <div className="open-problem" role="alert">
      <strong>{said}</strong>
      {fix} {command && <code>{command}</code>}
    </div>
  );
}
