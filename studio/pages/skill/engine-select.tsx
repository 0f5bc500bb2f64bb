import { useEffect, useId } from 'react';
import type { SkillAnswer } from '../../../src/client/index.ts';
import { manifestOf, supportsEngine } from '../../model/skills/skill-manifest.ts';
import { FieldNote } from '../../parts/controls/field.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';
import { useEngines } from '../new-run/use-engines.ts';

interface Props {
  skill: SkillAnswer;
  value: string;
  onChange(engine: string): void;
}

/** The engines of the server; those that cannot run the skill are shown with the reason. */
export function EngineSelect({ skill, value, onChange }: Props) {
  const text = useText();
  const id = useId();
  const { engines, problem } = useEngines();
  const manifest = manifestOf(skill);
  const usable = engines?.filter(({ name, installed }) => installed && supportsEngine(manifest, name)) ?? [];
  const first = usable[0]?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: chosen once, when the engines are known.
  useEffect(() => {
    if (first !== undefined && value === '') onChange(first);
  }, [first]);
  const missing = engines !== null && first === undefined ? text(words.noEngine) : null;
  return (
    <div className="field">
      <label htmlFor={id}>{text(words.engine)}</label>
      <select
        id={id}
        value={value}
        aria-invalid={missing !== null}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      >
        {engines?.map(({ name, title, installed }) => {
          const isSupported = supportsEngine(manifest, name);
          const why = isSupported ? (installed ? null : words.notInstalled) : words.notSupported;
          return (
            <option key={name} value={name} disabled={why !== null}>
              {why === null ? title : `${title} (${text(why)})`}
            </option>
          );
        })}
      </select>
      <FieldNote id={`${id}-note`} problem={problem ?? missing} />
    </div>
  );
}
