import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';
import { TextField } from './text-field.tsx';
import type { NewRunForm } from './use-new-run.ts';

const FIELDS = ['timeout', 'noProgress', 'attempts', 'tokens', 'cost', 'priority', 'replyAfter', 'replyText'] as const;

/** Rarely used fields; opens automatically if one of them has a problem. */
export function LimitFields({ form }: { form: NewRunForm }) {
  const text = useText();
  const hasProblem = FIELDS.some((field) => form.problemOf(field) !== null);
  const mayAsk = form.values.what === 'engine' && form.values.mode === 'interactive';
  const lengthHint = { hint: newRun.durationHint };
  return (
    <details className="new-run-more" open={hasProblem || undefined}>
      <summary>{text(newRun.more)}</summary>
      <div className="new-run-limits">
        <TextField form={form} field="timeout" label={newRun.timeout} {...lengthHint} />
        <TextField form={form} field="noProgress" label={newRun.noProgress} {...lengthHint} />
        <TextField form={form} field="attempts" label={newRun.attempts} />
        <TextField form={form} field="tokens" label={newRun.maxTokens} />
        <TextField form={form} field="cost" label={newRun.maxCost} />
        <TextField form={form} field="priority" label={newRun.priority} hint={newRun.priorityHint} />
      </div>
      {mayAsk && (
        <fieldset className="new-run-limits">
          <legend>{text(newRun.autoReply)}</legend>
          <TextField form={form} field="replyAfter" label={newRun.autoReplyAfter} {...lengthHint} />
          <TextField form={form} field="replyText" label={newRun.autoReplyText} />
        </fieldset>
      )}
    </details>
  );
}
