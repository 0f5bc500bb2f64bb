import { useRef } from 'react';
import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import { grouped } from '../../model/run-figures.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { RawSearch } from './use-raw-search.ts';

interface Props {
  name: StreamName;
  value: string;
  search: RawSearch;
  /** Index of the current match; −1 for none. */
  current: number;
  onChange(value: string): void;
  onStep(step: 1 | -1): void;
}

/** The search box: the number of matches, and buttons to move between them. */
export function RawSearchBox({ name, value, search, current, onChange, onStep }: Props) {
  const text = useText();
  const box = useRef<HTMLInputElement>(null);
  useAction('search', () => box.current?.focus(), 'raw');
  const count = `${grouped(search.matches.length)}${search.next === null ? '' : '+'}`;

  function said(): string {
    if (value === '') return '';
    if (search.error) return text(strings.app.failedToLoad)(search.error.message);
    if (search.searching || search.q !== value) return text(strings.raw.searching);
    if (search.matches.length === 0) return text(strings.raw.notFound)(name.stream, sizeText(search.size));
    return current < 0 ? text(strings.raw.foundCount)(count) : text(strings.raw.found)(current + 1, count);
  }

  return (
    <search className="raw-search">
      <input
        ref={box}
        type="search"
        value={value}
        spellCheck={false}
        autoComplete="off"
        aria-label={text(strings.raw.search)}
        placeholder={text(strings.raw.search)}
        title={withKey(text(strings.raw.search), 'search')}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={({ key, shiftKey, currentTarget }) => {
          if (key === 'Enter') onStep(shiftKey ? -1 : 1);
          else if (key === 'Escape') currentTarget.blur();
        }}
      />
      <span className="small quiet" role="status">
        {said()}
      </span>
      {search.matches.length > 0 && (
        <>
          <button
            type="button"
            aria-label={text(strings.raw.previousMatch)}
            title={withKey(text(strings.raw.previousMatch), 'previous-match')}
            onClick={() => onStep(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label={text(strings.raw.nextMatch)}
            title={withKey(text(strings.raw.nextMatch), 'next-match')}
            onClick={() => onStep(1)}
          >
            ↓
          </button>
        </>
      )}
    </search>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
