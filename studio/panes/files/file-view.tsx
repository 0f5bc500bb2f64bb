import { useState } from 'react';
import { type FileChange, SHOWN_BYTES } from '../../model/files/file-changes.ts';
import { download } from '../../parts/controls/download.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { ChangeMark } from './change-mark.tsx';
import { changeWords, missingWords, sizesOf } from './change-words.ts';
import { type DiffForm, FileDiff } from './file-diff.tsx';
import { textOf, useContents } from './use-contents.ts';
import { visibleName } from './visible-name.ts';

type Form = DiffForm | 'before' | 'after';

interface Props {
  change: FileChange;
  /** The event that reported it. */
  seq: number | null;
  onEvent(seq: number): void;
}

/** One changed path: its kind, its changes, and its content for download. */
export function FileView({ change, seq, onEvent }: Props) {
  const text = useText();
  const state = useContents(change);
  const [form, setForm] = useState<Form>('unified');
  const contents = state.phase === 'ready' ? state.contents : { before: null, after: null };
  const modified = contents.before !== null && contents.after !== null;
  const missing = missingWords(change, text);
  return (
    <section className="file-view" aria-label={visibleName(change.path)}>
      <header>
        <span className="file-path bytes">{visibleName(change.path)}</span>
        <ChangeMark kind={change.kind} word />
        {(change.after ?? change.before)?.type === 'file' && <span className="quiet">{sizesOf(change, text)}</span>}
        {change.injected && <span className="quiet">{text(strings.files.injected)}</span>}
        {changeWords(change, text).map((said) => (
          <span key={said} className="quiet">
            {said}
          </span>
        ))}
        {seq !== null && (
          <button type="button" className="plain link" onClick={() => onEvent(seq)}>
            {text(strings.files.event)(seq)}
          </button>
        )}
        <span className="file-tools">
          {modified && <FormChoice form={form} onForm={setForm} />}
          {contents.before && (
            <button type="button" onClick={() => keep(change.path, contents.before!)}>
              ⤓ {text(modified ? strings.files.downloadBefore : strings.files.download)}
            </button>
          )}
          {contents.after && (
            <button type="button" onClick={() => keep(change.path, contents.after!)}>
              ⤓ {text(modified ? strings.files.downloadAfter : strings.files.download)}
            </button>
          )}
        </span>
      </header>
      {missing !== null && <p className="notice">{missing}</p>}
      {state.phase === 'loading' && <p className="notice">{text(strings.files.loading)}</p>}
      {state.phase === 'failed' && (
        <p className="notice" role="alert">
          {text(strings.app.failedToLoad)(state.error.message)}
        </p>
      )}
      {(contents.before || contents.after) && (
        <Content before={contents.before} after={contents.after} form={modified ? form : 'unified'} />
      )}
    </section>
  );
}

/** Without a specific type: content of a run is never shown as anything but text. */
function keep(path: string, content: Uint8Array): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  download(name, new Blob([new Uint8Array(content)], { type: 'application/octet-stream' }));
}

function Content({ before, after, form }: { before: Uint8Array | null; after: Uint8Array | null; form: Form }) {
  const text = useText();
  if (Math.max(before?.length ?? 0, after?.length ?? 0) > SHOWN_BYTES) {
    return <p className="notice">{text(strings.files.tooLarge)}</p>;
  }
  const [old, fresh] = [before && textOf(before), after && textOf(after)];
  if ((before && old === null) || (after && fresh === null)) {
    return <p className="notice">{text(strings.files.notText)}</p>;
  }
  // A single side is compared with nothing: all of it, with its line numbers.
  const [left, right] = form === 'before' ? ['', old] : form === 'after' ? ['', fresh] : [old, fresh];
  if (!left && !right) return <p className="notice">{text(strings.files.emptyFile)}</p>;
  return <FileDiff before={left ?? ''} after={right ?? ''} form={form === 'side_by_side' ? form : 'unified'} />;
}

function FormChoice({ form, onForm }: { form: Form; onForm(form: Form): void }) {
  const text = useText();
  const { unified, sideBySide, before, after, view } = strings.files;
  return (
    <select aria-label={text(view)} value={form} onChange={({ target }) => onForm(target.value as Form)}>
      <option value="unified">{text(unified)}</option>
      <option value="side_by_side">{text(sideBySide)}</option>
      <option value="before">{text(before)}</option>
      <option value="after">{text(after)}</option>
    </select>
  );
}
