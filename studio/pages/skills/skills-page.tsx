import '../../parts/layout/list-page.css';
import './skills-page.css';
import { useSearchParams } from 'wouter';
import { FilterBox } from '../../parts/controls/filter-box.tsx';
import { Page } from '../../parts/layout/page.tsx';
import { ListTrouble } from '../../parts/list-trouble.tsx';
import { NoMatch } from '../../parts/no-match.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';
import { strings } from '../../text/strings.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { ProblemList } from './problem-list.tsx';
import { SkillTable } from './skill-table.tsx';
import { useSkills } from './use-skills.ts';

/** The skills that runs of this server can use, and what is wrong with others. */
export function SkillsPage() {
  const text = useText();
  return (
    <ActionsProvider>
      <Page title={text(words.title)}>
        <Skills />
      </Page>
      <HelpDialog only={['search', 'next-row', 'previous-row', 'first', 'last', 'open', 'help', 'escape']} />
    </ActionsProvider>
  );
}

function Skills() {
  const text = useText();
  const [parameters, setParameters] = useSearchParams();
  const q = parameters.get('q') ?? '';
  const setQ = (typed: string) => setParameters(typed === '' ? {} : { q: typed }, { replace: true });
  const { answer, isLoading, trouble, loadMore, rescan } = useSkills(q.trim());
  const isEmpty = answer?.skills.length === 0;

  return (
    <>
      <h1 className="heard">{text(words.title)}</h1>
      <div className="list-bar">
        <FilterBox label={text(words.filter)} hint={text(words.filterHint)} written={q} onWritten={setQ} />
        {answer !== null && answer.total > 0 && (
          <span className="quiet small list-total">{text(words.shown)(answer.skills.length, answer.total)}</span>
        )}
        <button type="button" className="skills-scan" disabled={isLoading} onClick={rescan}>
          {text(isLoading && answer !== null ? words.scanning : words.scan)}
        </button>
      </div>
      {trouble && <ListTrouble {...trouble} />}
      {answer === null && trouble === null && <p className="notice">{text(strings.app.loading)}</p>}
      <div className="skills-scroll">
        {answer !== null && answer.problems.length > 0 && (
          <details className="skills-problems" open={isEmpty && q === ''}>
            <summary>{text(words.problems)(answer.problems.length)}</summary>
            <ProblemList problems={answer.problems} />
          </details>
        )}
        {answer !== null && answer.skills.length > 0 && <SkillTable skills={answer.skills} />}
        {answer?.next_cursor && (
          <p className="skills-more">
            <button type="button" disabled={isLoading} onClick={loadMore}>
              {text(words.more)}
            </button>
          </p>
        )}
        {isEmpty && q !== '' && <NoMatch words={text(words.noMatch)(q.trim())} onClear={() => setQ('')} />}
        {isEmpty && q === '' && answer.problems.length === 0 && <EmptySkills />}
      </div>
    </>
  );
}

/** Says how to get the first skill. */
function EmptySkills() {
  const text = useText();
  return (
    <div className="notice list-empty">
      <strong>{text(words.none)}</strong>
      <p>{text(words.noneHint)}</p>
      <code>tacho skills new review</code>
      <code>tacho skills add ../team-skills</code>
      <p>
        {text(words.noneProject)} <code>tacho trust</code>
      </p>
    </div>
  );
}
