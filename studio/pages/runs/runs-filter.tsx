import { runStatusSchema } from '../../../src/protocol/index.ts';
import { FILTER_WORDS, parseRunFilter } from '../../model/runs/run-filter.ts';
import { FilterBox } from '../../parts/controls/filter-box.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** The filter of the runs. What is written goes into the address. */
export function RunsFilter({ written, onWritten }: { written: string; onWritten(text: string): void }) {
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
