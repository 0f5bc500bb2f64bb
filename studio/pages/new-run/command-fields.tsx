import { parseArgv } from '../../model/runs/argv.ts';
import { ArgvList } from '../../parts/controls/field.tsx';
import { strings } from '../../text/strings.ts';
import { TextField } from './text-field.tsx';
import type { NewRunForm } from './use-new-run.ts';

/** A command as a line, and the arguments that will be handed over. */
export function CommandFields({ form }: { form: NewRunForm }) {
  const { argv } = parseArgv(form.values.command);
  return (
    <>
      <TextField
        form={form}
        field="command"
        label={strings.newRun.command}
        hint={strings.newRun.commandHint}
        rows={3}
        className="bytes"
      />
      <ArgvList argv={argv} />
    </>
  );
}
