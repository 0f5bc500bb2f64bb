import type { FormField } from '../../model/runs/new-run.ts';
import { Field } from '../../parts/controls/field.tsx';
import { useText } from '../../text/language.ts';
import type { NewRunForm } from './use-new-run.ts';

type Words = readonly [string, string];

interface Props {
  form: NewRunForm;
  field: Exclude<FormField, 'mode' | 'files'>;
  label: Words;
  hint?: Words;
  rows?: number;
  className?: string;
}

/** A field of the form, by its name. */
export function TextField({ form, field, label, hint, rows, className }: Props) {
  const text = useText();
  return (
    <Field
      label={text(label)}
      value={form.values[field]}
      onChange={(value) => form.change({ [field]: value })}
      problem={form.problemOf(field)}
      hint={hint && text(hint)}
      rows={rows}
      className={className}
      spellCheck={field === 'prompt' || field === 'replyText'}
    />
  );
}
