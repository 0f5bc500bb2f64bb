import '../layout/list-page.css';
import { useEffect, useId, useRef, useState } from 'react';
import { useAction } from '../../state/actions.tsx';

/** Pause in typing after which the filter is applied. */
const PAUSE_MS = 250;

interface Props {
  label: string;
  hint: string;
  written: string;
  onWritten(text: string): void;
  /** The problem with the current text; null if there is none. */
  problemOf?(draft: string): string | null;
}

/** A box that filters a list. Its text is applied when the user pauses. */
export function FilterBox({ label, hint, written, onWritten, problemOf }: Props) {
  const id = useId();
  const [draft, setDraft] = useState(written);
  const box = useRef<HTMLInputElement>(null);
  const latest = useRef(onWritten);
  latest.current = onWritten;
  const problem = problemOf?.(draft) ?? null;

  useEffect(() => setDraft(written), [written]);
  useEffect(() => {
    if (draft === written) return;
    const timer = setTimeout(() => latest.current(draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, written]);
  useAction('search', () => box.current?.focus());
  useAction('escape', () => {
    if (document.activeElement !== box.current) return false;
    if (draft === '') box.current?.blur();
    setDraft('');
    return true;
  });

  return (
    <div className="list-filter">
      <input
        ref={box}
        type="search"
        aria-label={label}
        aria-describedby={problem === null ? undefined : id}
        aria-invalid={problem !== null}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      {problem !== null && (
        <span id={id} className="list-filter-problem small" role="status">
          {problem}
        </span>
      )}
    </div>
  );
}
