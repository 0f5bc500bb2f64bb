import './new-run-page.css';
import { parseArgv } from '../../model/runs/argv.ts';
import { ArgvList } from '../../parts/controls/field.tsx';
import { withKey } from '../../parts/controls/key-hint.ts';
import { Page } from '../../parts/layout/page.tsx';
import { ActionsProvider, useAction } from '../../state/actions.tsx';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';
import { HelpDialog } from '../run/help-dialog.tsx';
import { EngineFields } from './engine-fields.tsx';
import { FileFields } from './file-fields.tsx';
import { LimitFields } from './limit-fields.tsx';
import { TextField } from './text-field.tsx';
import { type NewRunForm, useNewRun } from './use-new-run.ts';

/** Starts a run: an engine with a request, or a command. */
export function NewRunPage() {
  const text = useText();
  return (
    <ActionsProvider>
      <Page title={text(newRun.title)}>
        <NewRunFields />
      </Page>
      <HelpDialog only={['send', 'help']} />
    </ActionsProvider>
  );
}

function NewRunFields() {
  const text = useText();
  const form = useNewRun();
  useAction('send', () => form.submit());
  return (
    // The browser's validation would stop the form before the server can report its own problems.
    <form className="new-run" noValidate onSubmit={form.submit}>
      <h1>{text(newRun.title)}</h1>
      <WhatField form={form} />
      {form.values.what === 'engine' ? <EngineFields form={form} /> : <CommandFields form={form} />}
      <TextField form={form} field="cwd" label={newRun.cwd} hint={newRun.cwdHint} className="bytes" />
      <FileFields form={form} />
      <LimitFields form={form} />
      {form.general !== null && (
        <p className="field-problem" role="alert">
          {form.general}
        </p>
      )}
      {form.fix !== null && <p className="quiet">{form.fix}</p>}
      <div>
        <button type="submit" className="primary" disabled={form.isSending} title={withKey(text(newRun.start), 'send')}>
          {text(form.isSending ? newRun.starting : newRun.start)}
        </button>
      </div>
    </form>
  );
}

function WhatField({ form: { values, change } }: { form: NewRunForm }) {
  const text = useText();
  const choices = [
    ['engine', newRun.withEngine],
    ['command', newRun.withCommand],
  ] as const;
  return (
    <fieldset className="new-run-choice">
      <legend>{text(newRun.what)}</legend>
      {choices.map(([what, words]) => (
        <label key={what}>
          <input type="radio" name="what" checked={values.what === what} onChange={() => change({ what })} />
          {text(words)}
        </label>
      ))}
    </fieldset>
  );
}

/** A command line, and the resulting arguments. */
function CommandFields({ form }: { form: NewRunForm }) {
  const { argv } = parseArgv(form.values.command);
  return (
    <>
      <TextField
        form={form}
        field="command"
        label={newRun.command}
        hint={newRun.commandHint}
        rows={3}
        className="bytes"
      />
      <ArgvList argv={argv} />
    </>
  );
}
