import type { ReactNode } from 'react';
import type { SkillAnswer } from '../../../src/client/index.ts';
import { mentionOf } from '../../../src/protocol/index.ts';
import { manifestOf } from '../../model/skills/skill-manifest.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';
import { strings } from '../../text/strings.ts';
import { ProblemList } from '../skills/problem-list.tsx';

/** What is known about a skill, and what a check finds. */
export function SkillFacts({ skill }: { skill: SkillAnswer }) {
  const text = useText();
  const { required_env_vars, metadata, source, location, problems } = skill;
  const { version, execution_modes, engines, unsupported_engines, artifacts } = manifestOf(skill);
  const others = unsupported_engines.join(', ');
  const rows: [label: string, value: ReactNode][] = [
    [text(words.mention), <Mention key="mention" mention={mentionOf(skill)} />],
    [text(words.version), version],
    [text(words.engines), engines?.join(', ') ?? (others ? text(words.except)(others) : text(words.allEngines))],
    [text(words.modes), execution_modes.join(', ')],
    [text(words.needs), required_env_vars.join(', ')],
    [text(words.artifacts), artifacts.map(({ pattern }) => showUnseen(pattern)).join(', ')],
    [text(words.metadata), Object.keys(metadata).length === 0 ? null : showUnseen(JSON.stringify(metadata))],
    [text(words.source), source],
    [text(words.location), showUnseen(location)],
  ];
  return (
    <>
      <dl className="skill-facts">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <section aria-labelledby="skill-check">
        <h2 id="skill-check">{text(words.check)}</h2>
        {problems.length === 0 ? (
          <p className="skill-sound">
            <span aria-hidden="true">✔</span> {text(words.noProblems)}
          </p>
        ) : (
          <ProblemList problems={problems} />
        )}
      </section>
    </>
  );
}

function Mention({ mention }: { mention: string }) {
  const text = useText();
  return (
    <>
      <code>{mention}</code> <CopyButton className="plain small" label={text(strings.app.copy)} text={() => mention} />
    </>
  );
}
