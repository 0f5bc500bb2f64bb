import { useEffect } from 'react';
import type { EngineFacts } from '../../../src/client/index.ts';
import { FieldNote } from '../../parts/controls/field.tsx';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';
import { strings } from '../../text/strings.ts';
import { EngineChoice } from './engine-choice.tsx';
import { TextField } from './text-field.tsx';
import { useEngines } from './use-engines.ts';
import type { NewRunForm } from './use-new-run.ts';

/** An engine, its prompt and its options. */
export function EngineFields({ form }: { form: NewRunForm }) {
  const text = useText();
  const { engines, problem } = useEngines();
  const { values, change } = form;
  const first = engines?.find(({ installed }) => installed)?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: chosen once, when the engines are known.
  useEffect(() => {
    if (first !== undefined && values.engine === '') change({ engine: first });
  }, [first]);

  return (
    <>
      <fieldset className="new-run-engines">
        <legend>{text(newRun.engine)}</legend>
        {engines === null && problem === null && <p className="quiet">{text(strings.app.loading)}</p>}
        {engines?.length === 0 && <p className="quiet">{text(newRun.noEngines)}</p>}
        {engines?.map((engine: EngineFacts) => (
          <EngineChoice
            key={engine.name}
            engine={engine}
            isChosen={values.engine === engine.name}
            onChoose={() => change({ engine: engine.name })}
          />
        ))}
        <FieldNote id="new-run-engine" problem={problem ?? form.problemOf('engine')} />
      </fieldset>
      <TextField form={form} field="prompt" label={newRun.prompt} rows={5} />
      <fieldset className="new-run-choice">
        <legend>{text(newRun.mode)}</legend>
        {(['auto', 'interactive'] as const).map((mode) => (
          <label key={mode}>
            <input type="radio" name="mode" checked={values.mode === mode} onChange={() => change({ mode })} />
            {text(newRun[mode])}
          </label>
        ))}
      </fieldset>
      <TextField form={form} field="model" label={newRun.model} hint={newRun.modelHint} />
    </>
  );
}
