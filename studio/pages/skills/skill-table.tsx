import { useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { SkillsAnswer } from '../../../src/client/index.ts';
import { mentionOf } from '../../../src/protocol/index.ts';
import { skillAddress } from '../../model/skills/skill-address.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useGridRows } from '../../parts/layout/use-grid-rows.ts';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';

const COLUMNS = ['name', 'namespace', 'description'] as const;

/** The skills as a grid in which one row at a time has the focus. */
export function SkillTable({ skills }: { skills: SkillsAnswer['skills'] }) {
  const text = useText();
  const [, navigate] = useLocation();
  const body = useRef<HTMLTableElement>(null);
  const rowProps = useGridRows({
    ids: skills.map(mentionOf),
    body,
    open: (index) => navigate(skillAddress(skills[index]!)),
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid.
    <table ref={body} className="skill-table" role="grid" aria-label={text(words.list)}>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <th key={column} scope="col" className={`skills-${column}`}>
              {text(words[column])}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {skills.map((skill, index) => (
          <tr key={mentionOf(skill)} {...rowProps(index)}>
            <td className="skills-name">
              <Link href={skillAddress(skill)} tabIndex={-1}>
                {skill.name}
              </Link>
            </td>
            <td className="skills-namespace">{skill.namespace}</td>
            <td className="skills-description" title={showUnseen(skill.description)}>
              <bdi>{showUnseen(skill.description)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
