import type { RefObject } from 'react';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const WHOLE = 'run';

interface Props {
  attempts: readonly number[];
  /** Null for the whole run. */
  chosen: number | null;
  onChoose(attempt: number | null): void;
  filter: string;
  onFilter(filter: string): void;
  input: RefObject<HTMLInputElement | null>;
}

/** Which changes are shown. */
export function FilesTools({ attempts, chosen, onChoose, filter, onFilter, input }: Props) {
  const text = useText();
  return (
    <>
      <input
        ref={input}
        type="search"
        className="files-filter"
        aria-label={text(strings.files.filter)}
        placeholder={text(strings.files.filter)}
        value={filter}
        onChange={({ target }) => onFilter(target.value)}
      />
      <select
        aria-label={text(strings.files.whichAttempt)}
        value={chosen ?? WHOLE}
        onChange={({ target }) => onChoose(target.value === WHOLE ? null : Number(target.value))}
      >
        {attempts.map((number) => (
          <option key={number} value={number}>
            {text(strings.files.attempt)(number)}
          </option>
        ))}
        <option value={WHOLE}>{text(strings.files.wholeRun)}</option>
      </select>
    </>
  );
}
