import { type ChangeEvent, useId, useRef, useState } from 'react';
import type { GivenFile } from '../../model/runs/new-run.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { FieldNote } from '../../parts/controls/field.tsx';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';
import type { NewRunForm } from './use-new-run.ts';

/** Files for the request; only with the run's own folder, so not together with another folder. */
export function FileFields({ form }: { form: NewRunForm }) {
  const text = useText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [unread, setUnread] = useState<string | null>(null);
  const { files, cwd } = form.values;
  if (cwd.trim() !== '' && files.length === 0) return null;

  async function add({ target }: ChangeEvent<HTMLInputElement>) {
    const chosen = [...(target.files ?? [])];
    target.value = '';
    setUnread(null);
    const read = await Promise.all(chosen.map(asText));
    const whole = read.filter((file) => file !== null);
    if (whole.length < chosen.length) setUnread(chosen[read.indexOf(null)]!.name);
    const others = files.filter(({ path }) => !whole.some((file) => file.path === path));
    form.change({ files: [...others, ...whole] });
  }

  return (
    <fieldset className="field" aria-describedby={`${id}-note`}>
      <legend>{text(newRun.files)}</legend>
      {files.length > 0 && (
        <ul className="new-run-files bytes">
          {files.map(({ path }) => (
            <li key={path}>
              <bdi>{showUnseen(path)}</bdi>{' '}
              <button
                type="button"
                className="plain"
                aria-label={text(newRun.removeFile)(path)}
                onClick={() => form.change({ files: files.filter((file) => file.path !== path) })}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <input ref={input} type="file" multiple hidden onChange={add} />
      <button type="button" onClick={() => input.current?.click()}>
        {text(newRun.addFiles)}
      </button>
      <FieldNote id={`${id}-note`} problem={unread === null ? form.problemOf('files') : text(newRun.notText)(unread)}>
        {text(newRun.filesHint)}
      </FieldNote>
    </fieldset>
  );
}

/** Null if it is not text, which would be changed on the way. */
async function asText(file: File): Promise<GivenFile | null> {
  try {
    const bytes = await file.arrayBuffer();
    return { path: file.name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return null;
  }
}
