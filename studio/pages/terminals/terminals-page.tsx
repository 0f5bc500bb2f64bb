import '../../parts/layout/list-page.css';
import './terminals-page.css';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { TerminalsAnswer } from '../../../src/protocol/index.ts';
import { lastWorkspace, terminalHas } from '../../model/terminals/terminal-facts.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { FilterBox } from '../../parts/controls/filter-box.tsx';
import { Page } from '../../parts/layout/page.tsx';
import { ListTrouble } from '../../parts/list-trouble.tsx';
import { NoMatch } from '../../parts/no-match.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { TerminalListStore } from '../../state/terminal-list.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { NewTerminalDialog } from './new-terminal-dialog.tsx';
import { TerminalTable } from './terminal-table.tsx';

const CREATE_COMMAND = 'tacho terminal create --name build';

/** The sessions of the terminal runtime, of every workspace. */
export function TerminalsPage() {
  const text = useText();
  return (
    <ActionsProvider>
      <Page title={text(strings.app.terminals)}>
        <Terminals />
      </Page>
      <HelpDialog only={['search', 'next-row', 'previous-row', 'first', 'last', 'open', 'help', 'escape']} />
    </ActionsProvider>
  );
}

function Terminals() {
  const text = useText();
  const [parameters, setParameters] = useSearchParams();
  const words = parameters.get('q') ?? '';
  const setWords = (q: string) => setParameters(q === '' ? {} : { q }, { replace: true });
  const { terminals, unreachable, trouble } = useStore(useTerminalList());
  const [isOpening, setOpening] = useState(false);
  const shown = terminals?.filter((terminal) => terminalHas(terminal, words.trim())) ?? [];

  return (
    <>
      <h1 className="heard">{text(strings.app.terminals)}</h1>
      <div className="list-bar">
        <FilterBox
          label={text(terminalTexts.filter)}
          hint={text(terminalTexts.filterHint)}
          written={words}
          onWritten={setWords}
        />
        {terminals !== null && terminals.length > 0 && (
          <span className="quiet small list-total">{text(terminalTexts.shown)(shown.length, terminals.length)}</span>
        )}
        <button type="button" className="primary list-act" onClick={() => setOpening(true)}>
          {text(terminalTexts.new)}
        </button>
      </div>
      {trouble && <ListTrouble {...trouble} />}
      <UnreachableDaemons daemons={unreachable} />
      {terminals === null && trouble === null && <p className="notice">{text(strings.app.loading)}</p>}
      {shown.length > 0 && <TerminalTable terminals={shown} />}
      {terminals !== null && shown.length === 0 && words !== '' && (
        <NoMatch words={text(terminalTexts.noMatch)(words.trim())} onClear={() => setWords('')} />
      )}
      {/* If a daemon does not answer, the list may be incomplete rather than empty. */}
      {terminals?.length === 0 && words === '' && unreachable.length === 0 && <EmptyTerminals />}
      {isOpening && <NewTerminalDialog workspace={lastWorkspace(terminals ?? [])} onClose={() => setOpening(false)} />}
    </>
  );
}

function useTerminalList(): TerminalListStore {
  const client = useClient()!;
  const list = useMemo(() => new TerminalListStore(client), [client]);
  useEffect(() => {
    void list.start();
    return () => list.close();
  }, [list]);
  return list;
}

/** Says how to create the first terminal. */
function EmptyTerminals() {
  const text = useText();
  return (
    <div className="notice list-empty">
      <strong>{text(terminalTexts.none)}</strong>
      <p>
        {text(terminalTexts.openOne)} <code>{CREATE_COMMAND}</code>
      </p>
    </div>
  );
}

/** Workspaces whose sessions are not in the list, each with the reason and what to do. */
function UnreachableDaemons({ daemons }: { daemons: TerminalsAnswer['unreachable'] }) {
  const text = useText();
  return daemons.map(({ workspace, message }) => (
    <p key={workspace} className="list-trouble" role="status">
      {text(terminalTexts.unreachable)(showUnseen(workspace), showUnseen(message))}{' '}
      <span className="quiet">
        {text(terminalTexts.unreachableFix)} <code>tacho runtime stop --workspace {showUnseen(workspace)}</code>
      </span>
    </p>
  ));
}
