import './skill-pane.css';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { mentionOf } from '../../../src/protocol/index.ts';
import { deliveryOf, type RunSkill, skillOfRun } from '../../model/skills/run-skill.ts';
import { skillAddress } from '../../model/skills/skill-address.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useClient } from '../../state/client.tsx';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { runSkill as words } from '../../text/sections/run-skill.ts';
import { JsonTree } from '../event/json-tree.tsx';
import { ResultSection } from './skill-result.tsx';

/** The skill of a run: what was asked of it, what was added to it, and what came of it. */
export function SkillPane() {
  const text = useText();
  const model = useModel();
  const skill = useMemo(() => skillOfRun(model.events), [model.events]);
  return (
    <Pane name="skill" title={text(words.title)}>
      {skill === null ? (
        <p className="notice">{text(words.none)}</p>
      ) : (
        <div className="run-skill">
          <About skill={skill} />
          <ResultSection />
          <Layers />
          <Given title={text(words.input)} value={skill.request.input} />
          <Given title={text(words.parameters)} value={skill.request.parameters} />
        </div>
      )}
    </Pane>
  );
}

function About({ skill: { main, extra, request } }: { skill: RunSkill }) {
  const text = useText();
  const client = useClient();
  const mention = mentionOf(main);
  const rows: [label: string, value: ReactNode][] = [
    [
      text(words.skill),
      client === null ? (
        mention
      ) : (
        <Link key="skill" href={skillAddress(main)}>
          {mention}
        </Link>
      ),
    ],
    [text(words.version), main.version],
    [text(words.mode), request.mode],
    [text(words.others), extra.map(mentionOf).join(', ')],
    [
      text(words.leftOut),
      request.skipped_skills?.map(({ skill, message }) => showUnseen(`${skill}: ${message}`)).join('\n'),
    ],
    [text(words.package), <code key="hash">{main.sha256.slice(0, 16)}</code>],
    [text(words.location), showUnseen(main.location)],
  ];
  return (
    <dl className="run-skill-facts">
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
  );
}

/** The texts that tacho added to the skill. */
function Layers() {
  const text = useText();
  const { events } = useModel();
  const delivery = useMemo(() => deliveryOf(events), [events]);
  if (delivery === null) return null;
  return (
    <section>
      <h3>{text(words.layers)}</h3>
      <p className="quiet small">{text(words.delivery[delivery.delivery])}</p>
      <ul className="run-skill-list">
        {delivery.layers.map(({ layer, version, sha256 }) => (
          <li key={layer}>
            {text(words.layer[layer])}
            <span className="quiet small">{text(words.textVersion)(version)}</span>
            <code className="quiet small">{sha256.slice(0, 12)}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Given({ title, value }: { title: string; value: unknown }) {
  if (value === undefined) return null;
  return (
    <section>
      <h3>{title}</h3>
      <JsonTree value={value} />
    </section>
  );
}
