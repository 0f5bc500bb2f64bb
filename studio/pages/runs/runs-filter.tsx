import { useEffect, useRef, useState } from 'react';
import { runStatusSchema } from '../../../src/protocol/index.ts';
import { FILTER_WORDS, parseRunFilter } from '../../model/runs/run-filter.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** How long somebody may stop writing before the server is asked. */
const PAUSE_MS = 250;

/** The filter box. What is written goes into the address once the writer pauses. */
export function RunsFilter({ written, onWritten }: { written: string; onWritten(text: string): void }) {
  const text = useText();
  const [draft, setDraft] = useState(written);
  const box = useRef<HTMLInputElement>(null);
  const latest = useRef(onWritten);
  latest.current = onWritten;
  const { unknown } = parseRunFilter(draft);

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
    <div className="runs-filter">
      <input
        ref={box}
        type="search"
        aria-label={text(strings.runs.filter)}
        aria-describedby={unknown === null ? undefined : 'runs-filter-problem'}
        aria-invalid={unknown !== null}
        placeholder={text(strings.runs.filterHint)}
        spellCheck={false}
        autoComplete="off"
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      {unknown !== null && (
        <span id="runs-filter-problem" className="runs-filter-problem small" role="status">
          {text(strings.runs.unknownWord)(unknown, knownFor(unknown))}
        </span>
      )}
    </div>
  );
}

function knownFor(unknown: string): string {
  return (unknown.startsWith('status:') ? runStatusSchema.options : FILTER_WORDS).join(', ');
}
