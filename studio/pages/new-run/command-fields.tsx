import { parseArgv } from '../../model/runs/argv.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { TextField } from './text-field.tsx';
import type { NewRunForm } from './use-new-run.ts';

/** A command as a line, and the arguments that will be handed over. */
export function CommandFields({ form }: { form: NewRunForm }) {
  const text = useText();
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
      {argv.length > 0 && (
        <div className="new-run-field">
          <span>{text(strings.newRun.argv)}</span>
          <ol className="new-run-argv bytes" start={0}>
            {argv.map((argument, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same argument may stand there twice.
              <li key={index}>{argument}</li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}
