import '../../parts/layout/list-page.css';
import './skill-page.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { SkillAnswer } from '../../../src/client/index.ts';
import { mentionOf, TachoError } from '../../../src/protocol/index.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { Page } from '../../parts/layout/page.tsx';
import { ActionsProvider } from '../../state/actions.tsx';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';
import { strings } from '../../text/strings.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { SkillContent } from './skill-content.tsx';
import { SkillFacts } from './skill-facts.tsx';
import { TryIt } from './try-it.tsx';

interface Props {
  namespace: string;
  name: string;
}

/** One skill: what it is, what a check finds, its text and files, and a form to try it. */
export function SkillPage({ namespace, name }: Props) {
  const { skill, error } = useSkill({ namespace, name });
  return (
    <ActionsProvider>
      <Page title={name} home={{ href: '/skills', name: words.title }} bar={<SkillBar {...{ namespace, name }} />}>
        {skill !== null && <Skill skill={skill} />}
        {skill === null && <Missing error={error} />}
      </Page>
      <HelpDialog only={['send', 'help']} />
    </ActionsProvider>
  );
}

function SkillBar({ namespace, name }: Props) {
  return (
    <div className="skill-bar">
      <span className="quiet" aria-hidden="true">
        /
      </span>
      <h1>{name}</h1>
      <span className="quiet">{namespace}</span>
    </div>
  );
}

function Skill({ skill }: { skill: SkillAnswer }) {
  return (
    <div className="skill">
      <div className="skill-head">
        <p className="skill-description">
          <bdi>{showUnseen(skill.description)}</bdi>
        </p>
        <SkillFacts skill={skill} />
      </div>
      <TryIt key={mentionOf(skill)} skill={skill} />
      <SkillContent skill={skill} />
    </div>
  );
}

function Missing({ error }: { error: Error | null }) {
  const text = useText();
  if (error === null) return <p className="notice">{text(strings.app.loading)}</p>;
  return (
    <div className="notice list-empty">
      <strong>{text(words.unknown)}</strong>
      <p role="alert">
        {error.message}. {error instanceof TachoError && error.fix}
      </p>
      <Link href="/skills">{text(words.toList)}</Link>
    </div>
  );
}

function useSkill(reference: Props): { skill: SkillAnswer | null; error: Error | null } {
  const client = useClient()!;
  const [state, setState] = useState<{ skill: SkillAnswer | null; error: Error | null }>({ skill: null, error: null });
  const mention = mentionOf(reference);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    client.skill(mention, { signal }).then(
      (skill) => setState({ skill, error: null }),
      (error: Error) => !signal.aborted && setState({ skill: null, error }),
    );
    return () => ending.abort();
  }, [client, mention]);
  return state;
}
