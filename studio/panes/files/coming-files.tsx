import { useMemo } from 'react';
import { touchedBy } from '../../model/files/file-changes.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { visibleName } from './visible-name.ts';

/** A running attempt has no list of files yet; its events are all that is known. */
export function ComingFiles({ attempt }: { attempt: number | null }) {
  const text = useText();
  const { view } = useSession();
  const model = useModel();
  const touched = useMemo(() => [...touchedBy(model, attempt)], [model, model.events.length, attempt]);
  return (
    <div className="notice">
      <p>
        {text(strings.files.later)} {touched.length === 0 && text(strings.files.noneLater)}
      </p>
      <ul className="coming-files">
        {touched.map(([path, seq]) => (
          <li key={path}>
            <button
              type="button"
              className="plain link bytes"
              onClick={() => view.change({ selection: { kind: 'event', seq } })}
            >
              {visibleName(path)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
