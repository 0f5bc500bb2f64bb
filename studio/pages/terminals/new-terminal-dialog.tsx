import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { parseArgv } from '../../model/runs/argv.ts';
import { type TerminalForm, type TerminalMistakes, terminalRequest } from '../../model/terminals/new-terminal.ts';
import { Dialog } from '../../parts/controls/dialog.tsx';
import { ArgvList, Field } from '../../parts/controls/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';
import { terminalAddress } from './terminal-row.tsx';

/** Opens a session and goes to it. `workspace` is the most recently used one. */
export function NewTerminalDialog({ workspace, onClose }: { workspace: string; onClose(): void }) {
  const text = useText();
  const client = useClient()!;
  const [, navigate] = useLocation();
  const [form, setForm] = useState<TerminalForm>({ workspace, kind: 'pty', name: '', program: '', record: true });
  const [mistakes, setMistakes] = useState<TerminalMistakes>({});
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  const change = (changed: Partial<TerminalForm>) => {
    setForm({ ...form, ...changed });
    setMistakes({});
  };

  async function submit(event: FormEvent) {
    event.preventDefault();
    const request = terminalRequest(form);
    setError(null);
    setMistakes('mistakes' in request ? request.mistakes : {});
    if ('mistakes' in request || isSending) return;
    setSending(true);
    try {
      navigate(terminalAddress(await client.terminals.create(request.terminal)));
    } catch (thrown) {
      setError(thrown as Error);
      setSending(false);
    }
  }

  const { argv, open } = parseArgv(form.program);
  return (
    <Dialog title={text(terminalTexts.new)} onClose={onClose}>
      <form className="new-terminal" noValidate onSubmit={submit}>
        <Field
          label={text(terminalTexts.workspace)}
          value={form.workspace}
          onChange={(workspace) => change({ workspace })}
          problem={mistakes.workspace === undefined ? null : text(terminalTexts.workspaceWrong)}
          hint={text(terminalTexts.workspaceHint)}
          className="bytes"
        />
        <KindField form={form} onChange={change} />
        <Field
          label={text(terminalTexts.name)}
          value={form.name}
          onChange={(name) => change({ name })}
          problem={null}
        />
        {form.kind === 'pty' && (
          <>
            <Field
              label={text(terminalTexts.program)}
              value={form.program}
              onChange={(program) => change({ program })}
              problem={mistakes.program === undefined ? null : text(newRun.unclosedQuote)(open ?? '')}
              hint={text(terminalTexts.programHint)}
              className="bytes"
            />
            <ArgvList argv={argv} />
          </>
        )}
        <RecordField isOn={form.record} onChange={(record) => change({ record })} />
        <Problem error={error} />
        <div className="dialog-buttons">
          <button type="button" onClick={onClose}>
            {text(strings.app.cancel)}
          </button>
          <button type="submit" className="primary" disabled={isSending}>
            {text(isSending ? terminalTexts.creating : terminalTexts.create)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function KindField({ form, onChange }: { form: TerminalForm; onChange(change: Partial<TerminalForm>): void }) {
  const text = useText();
  return (
    <fieldset className="field new-terminal-choice">
      <legend>{text(terminalTexts.kind)}</legend>
      {(['pty', 'shell'] as const).map((kind) => (
        <label key={kind}>
          <input type="radio" name="kind" checked={form.kind === kind} onChange={() => onChange({ kind })} />
          {text(terminalTexts[kind])}
        </label>
      ))}
    </fieldset>
  );
}

function RecordField({ isOn, onChange }: { isOn: boolean; onChange(on: boolean): void }) {
  const text = useText();
  const id = useId();
  return (
    <div className="new-terminal-choice">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={id}
          onChange={({ target }) => onChange(target.checked)}
        />
        {text(terminalTexts.record)}
      </label>
      <p id={id} className="quiet small">
        {text(terminalTexts.recordHint)}
      </p>
    </div>
  );
}
