import './try-it.css';
import type { ReactNode } from 'react';
import type { SkillAnswer } from '../../../src/client/index.ts';
import { manifestOf } from '../../model/skills/skill-manifest.ts';
import { Field } from '../../parts/controls/field.tsx';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';
import { EngineSelect } from './engine-select.tsx';
import { SchemaFields } from './schema-fields.tsx';
import { type TryPart, useTryIt } from './use-try-it.ts';

/** Starts a run of a skill: a form made from its schemas, and the engine. */
export function TryIt({ skill }: { skill: SkillAnswer }) {
  const text = useText();
  const form = useTryIt(skill);
  const { values, change } = form;
  const { execution_modes } = manifestOf(skill);
  useAction('send', () => form.submit());
  return (
    // The browser's validation would stop the form before the server can report its own problems.
    <form className="try-it" noValidate onSubmit={form.submit} aria-labelledby="try-it-title">
      <h2 id="try-it-title">{text(words.tryIt)}</h2>
      <SchemaPart part={form.input} title={text(words.input)} hint={text(words.inputHint)} />
      {form.parameters && <SchemaPart part={form.parameters} title={text(words.parameters)} />}
      <Field
        label={text(words.request)}
        hint={text(words.requestHint)}
        value={values.prompt}
        onChange={(prompt) => change({ prompt })}
        problem={null}
        rows={2}
        spellCheck
      />
      <EngineSelect skill={skill} value={values.engine} onChange={(engine) => change({ engine })} />
      <div className="field">
        <label htmlFor="try-it-mode">{text(words.mode)}</label>
        <select
          id="try-it-mode"
          value={values.mode}
          onChange={({ target }) => change({ mode: target.value as typeof values.mode })}
        >
          {execution_modes.map((mode) => (
            <option key={mode} value={mode}>
              {text(words[mode])}
            </option>
          ))}
        </select>
      </div>
      <Field
        label={text(words.folder)}
        hint={text(words.folderHint)}
        value={values.cwd}
        onChange={(cwd) => change({ cwd })}
        problem={null}
        className="bytes"
      />
      <Problem error={form.error} />
      <div>
        <button
          type="submit"
          className="primary"
          disabled={form.isSending || values.engine === ''}
          title={withKey(text(words.start), 'send')}
        >
          {text(form.isSending ? words.starting : words.start)}
        </button>
      </div>
    </form>
  );
}

/** The input or the parameters: as a form, or as JSON. */
function SchemaPart({ part, title, hint }: { part: TryPart; title: string; hint?: string }): ReactNode {
  const text = useText();
  const { field, draft, problems, isJson, canSwitch } = part;
  return (
    <fieldset className="try-it-part">
      <legend>
        {title}
        {canSwitch && (
          <button type="button" className="plain small" onClick={part.toggle}>
            {text(isJson ? words.asForm : words.asJson)}
          </button>
        )}
      </legend>
      <SchemaFields
        field={{ ...field, hint: field.hint || (canSwitch ? '' : (hint ?? '')) }}
        label={title}
        draft={draft}
        at=""
        problems={problems}
        onChange={part.change}
      />
    </fieldset>
  );
}
