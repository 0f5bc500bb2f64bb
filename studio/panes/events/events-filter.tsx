import { useRef } from 'react';
import type { RaspCategory } from '../../../src/protocol/index.ts';
import { type FilterTerm, hasTerm, toggleTerm } from '../../model/events/event-filter.ts';
import { filterProblem } from '../../model/events/event-match.ts';
import { grouped } from '../../model/run-figures.ts';
import { withKey } from '../../parts/controls/key-hint.ts';
import { useAction } from '../../state/actions.tsx';
import { useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const FAMILIES = [
  'lifecycle',
  'agent',
  'interaction',
  'tool',
  'artifact',
  'diagnostic',
  'raw',
] as const satisfies readonly RaspCategory[];

/** The filter box, a chip for each family, and the number of hidden events. */
export function EventsFilter({ terms, hidden }: { terms: readonly FilterTerm[]; hidden: number }) {
  const text = useText();
  const { view } = useSession();
  const filter = useView((now) => now.filter);
  const filtered = useView((now) => now.filter !== '' || now.window !== null);
  const box = useRef<HTMLInputElement>(null);
  useAction('search', () => box.current?.focus(), 'events');
  const problems = terms.map(filterProblem).filter((problem) => problem !== null);
  return (
    <div className="events-filter">
      <div className="events-filter-row">
        <input
          ref={box}
          type="search"
          className="bytes"
          value={filter}
          spellCheck={false}
          autoComplete="off"
          aria-label={text(strings.events.filter)}
          title={withKey(text(strings.events.filter), 'search')}
          placeholder={text(strings.events.filterHint)}
          aria-invalid={problems.length > 0}
          onChange={({ target }) => view.change({ filter: target.value }, 'replace')}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        />
        <button
          type="button"
          className="plain small"
          disabled={!filtered}
          title={text(strings.events.hiddenTitle)}
          onClick={() => view.change({ filter: '', window: null })}
        >
          {text(strings.events.hidden)(grouped(hidden))}
        </button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would add a box. */}
      <div className="events-chips" role="group" aria-label={text(strings.events.families)}>
        {FAMILIES.map((family) => {
          const term = { negated: false, key: 'event', value: `${family}.*` };
          return (
            <button
              key={family}
              type="button"
              className="chip small"
              data-family={family}
              aria-pressed={hasTerm(terms, term)}
              onClick={() => view.change({ filter: toggleTerm(filter, term) }, 'replace')}
            >
              {text(strings.events[family])}
            </button>
          );
        })}
      </div>
      {problems.map((problem) => (
        <p key={JSON.stringify(problem)} className="events-problem small" role="status">
          {problem.kind === 'unknown-key'
            ? text(strings.events.unknownKey)(problem.key)
            : text(strings.events.badValue)(problem.key, problem.value, problem.expected)}
        </p>
      ))}
    </div>
  );
}
