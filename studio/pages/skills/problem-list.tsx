import './problem-list.css';
import type { SkillsAnswer } from '../../../src/client/index.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';

/** What is wrong with skills, errors first: where, what, and how to fix it. */
export function ProblemList({ problems }: { problems: SkillsAnswer['problems'] }) {
  const text = useText();
  const sorted = problems.toSorted((one, other) => Number(isError(other)) - Number(isError(one)));
  return (
    <ul className="problem-list">
      {sorted.map((problem, index) => {
        const { code, severity, message, fix, file, line, source } = problem;
        const place = file === undefined ? source : line === undefined ? file : `${file}:${line}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal.
          <li key={index} data-severity={severity}>
            <span className="problem-severity">
              <span aria-hidden="true">{isError(problem) ? '✕' : '▲'}</span> {text(words[severity])}
            </span>
            <div>
              {place !== undefined && <bdi className="problem-place bytes">{showUnseen(place)}</bdi>}
              <p>
                {showUnseen(message)} <code className="quiet small">{code}</code>
              </p>
              <p className="quiet">{showUnseen(fix)}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function isError({ severity }: { severity: string }): boolean {
  return severity === 'error';
}
