import { useMemo, useState } from 'react';
import { isEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../../src/record/index.ts';
import { countChanges, touchedBy } from '../../model/files/file-changes.ts';
import { treeRows } from '../../model/files/file-tree.ts';
import type { Selection } from '../../model/selection.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { FileTree } from './file-tree.tsx';
import { FileView } from './file-view.tsx';
import { examplesOf, notCoveredWords } from './not-covered-words.ts';
import type { LoadedChanges } from './use-file-changes.ts';
import { visibleName } from './visible-name.ts';

/** A tree of changes, and the selected file. `attempt` is null for the whole run. */
export function Changes({
  loaded,
  attempt,
  filter,
}: {
  loaded: LoadedChanges;
  attempt: number | null;
  filter: string;
}) {
  const text = useText();
  const { view } = useSession();
  const model = useModel();
  const selection = useView((now) => now.selection);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const { changes, missing, unreadable, notCovered } = loaded;
  const rows = useMemo(() => treeRows(changes, { filter, closed }), [changes, filter, closed]);
  const touched = useMemo(() => touchedBy(model, attempt), [model, model.events.length, attempt]);
  const path = selectedPath(model, selection);
  const change = changes.find((one) => one.path === path);

  function fold(folder: string) {
    const next = new Set(closed);
    if (!next.delete(folder)) next.add(folder);
    setClosed(next);
  }

  return (
    <div className="files" data-open={path !== null}>
      <div className="files-list">
        {missing.map(({ attempt: number, why }) => (
          <p key={number} className="notice">
            {text(why === 'interrupted' ? strings.files.interrupted : strings.files.notRecorded)(number)}
          </p>
        ))}
        {changes.length > 0 && <Counts changes={changes} />}
        {changes.length === 0 && missing.length === 0 && <p className="notice">{text(strings.files.none)}</p>}
        {changes.length > 0 && rows.length === 0 && <p className="notice">{text(strings.files.noneMatch)}</p>}
        {rows.length > 0 && (
          <FileTree
            rows={rows}
            selected={path}
            onSelect={(row, how) =>
              view.change({ selection: { kind: 'file', path: row.path } }, how === 'click' ? 'push' : 'replace')
            }
            onFold={fold}
          />
        )}
        {unreadable.length > 0 && (
          <p className="notice">
            {text(strings.files.unreadable)(unreadable.length)}{' '}
            <span className="bytes">{unreadable.map((one) => `${visibleName(one.path)} ${one.error}`).join(', ')}</span>
          </p>
        )}
        {notCovered.map((group) => (
          <p key={group.by} className="notice">
            {notCoveredWords(group, text)} <span className="bytes">{examplesOf(group)}</span>
          </p>
        ))}
      </div>
      {change ? (
        <FileView
          key={change.path}
          change={change}
          seq={touched.get(change.path) ?? null}
          onEvent={(seq) => view.change({ selection: { kind: 'event', seq }, tab: 'event' })}
        />
      ) : (
        changes.length > 0 && (
          <p className="notice">
            {path === null || changes.some((one) => one.path.startsWith(`${path}/`))
              ? text(strings.files.choose)
              : text(strings.files.notChanged)(visibleName(path))}
          </p>
        )
      )}
    </div>
  );
}

function Counts({ changes }: { changes: LoadedChanges['changes'] }) {
  const text = useText();
  const { created, modified, deleted } = useMemo(() => countChanges(changes), [changes]);
  return (
    <p className="files-counts small quiet">
      <span className="bytes" aria-hidden="true">
        {text(strings.files.counts)(created, modified, deleted)}
      </span>
      <span className="heard">{text(strings.files.countsHeard)(created, modified, deleted)}</span>
    </p>
  );
}

/** The selected path: its own, or that of the selected event. */
function selectedPath(model: RunModel, selection: Selection | null): string | null {
  if (selection?.kind === 'file') return selection.path;
  const event = selection?.kind === 'event' ? eventAt(model, selection.seq) : undefined;
  if (event === undefined) return null;
  const isFileEvent =
    isEvent(event, 'artifact.created') || isEvent(event, 'artifact.modified') || isEvent(event, 'artifact.deleted');
  return isFileEvent ? event.data.path : null;
}
