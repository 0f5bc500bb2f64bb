import '../../parts/layout/list-page.css';
import './runs-page.css';
import { lazy, useEffect, useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { runStatusSchema } from '../../../src/protocol/index.ts';
import { FILTER_WORDS, parseRunFilter } from '../../model/runs/run-filter.ts';
import { FilterBox } from '../../parts/controls/filter-box.tsx';
import { Later } from '../../parts/later.tsx';
import { Page } from '../../parts/layout/page.tsx';
import { ListTrouble } from '../../parts/list-trouble.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { useClient } from '../../state/client.tsx';
import { RunListStore } from '../../state/run-list.ts';
import { RunSummaries } from '../../state/run-summaries.ts';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { EmptyRuns } from './empty-runs.tsx';
import { RunTable } from './run-table.tsx';

const LedgerDialog = lazy(async () => ({ default: (await import('./ledger-dialog.tsx')).LedgerDialog }));

/** Every run of the server. */
export function RunsPage() {
  const text = useText();
  return (
    <ActionsProvider>
      <Page title={text(strings.app.runs)}>
        <Runs />
      </Page>
      <HelpDialog only={['search', 'next-row', 'previous-row', 'first', 'last', 'open', 'help', 'escape']} />
    </ActionsProvider>
  );
}

function Runs() {
  const text = useText();
  const [parameters, setParameters] = useSearchParams();
  const written = parameters.get('q') ?? '';
  const { runs, summaries } = useRunList(written);
  const [isLedgerOpen, setLedgerOpen] = useState(false);
  const { list, trouble, pending, isLoadingMore } = useStore(runs);
  const setFilter = (q: string) => setParameters(q === '' ? {} : { q }, { replace: true });

  return (
    <>
      <h1 className="heard">{text(strings.app.runs)}</h1>
      <div className="list-bar">
        <RunsFilter written={written} onWritten={setFilter} />
        {list !== null && list.total > 0 && (
          <span className="quiet small list-total">{text(strings.runs.shown)(list.rows.length, list.total)}</span>
        )}
        <button type="button" className="plain" onClick={() => setLedgerOpen(true)}>
          {text(strings.seals.ledger)}
        </button>
        {isLedgerOpen && (
          <Later>
            <LedgerDialog onClose={() => setLedgerOpen(false)} />
          </Later>
        )}
        <Link href="/new" className="list-new">
          {text(strings.app.newRun)}
        </Link>
      </div>
      {trouble && <ListTrouble {...trouble} />}
      {list === null && trouble === null && <p className="notice">{text(strings.app.loading)}</p>}
      {list !== null && list.fresh.length > 0 && (
        <button type="button" className="plain runs-fresh" onClick={() => runs.showFresh()}>
          {text(strings.runs.newRuns)(list.fresh.length)}
        </button>
      )}
      {list !== null &&
        (list.rows.length === 0 ? (
          <EmptyRuns filter={written} onClear={() => setFilter('')} />
        ) : (
          <RunTable
            list={list}
            pending={pending}
            summaries={summaries}
            isLoadingMore={isLoadingMore}
            onMore={() => runs.loadMore()}
          />
        ))}
    </>
  );
}

/** The list for a filter. Another filter has another list, but the summaries of runs are kept. */
function useRunList(written: string): { runs: RunListStore; summaries: RunSummaries } {
  const client = useClient()!;
  const summaries = useMemo(() => new RunSummaries(client), [client]);
  const runs = useMemo(() => new RunListStore(client, parseRunFilter(written)), [client, written]);
  useEffect(() => {
    void runs.start();
    return () => runs.close();
  }, [runs]);
  return { runs, summaries };
}

/** The filter of the runs. Its text is part of the URL. */
function RunsFilter({ written, onWritten }: { written: string; onWritten(text: string): void }) {
  const text = useText();
  return (
    <FilterBox
      label={text(strings.runs.filter)}
      hint={text(strings.runs.filterHint)}
      written={written}
      onWritten={onWritten}
      problemOf={(draft) => {
        const { unknown } = parseRunFilter(draft);
        return unknown === null ? null : text(strings.runs.unknownWord)(unknown, knownFor(unknown));
      }}
    />
  );
}

function knownFor(unknown: string): string {
  return (unknown.startsWith('status:') ? runStatusSchema.options : FILTER_WORDS).join(', ');
}
