import { type ReactNode, useId } from 'react';
import type { FormField } from '../../model/runs/new-run.ts';
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

/** A field that is written into, with its hint or what is wrong with it below. */
export function TextField({ form, field, label, hint, rows = 1, className }: Props) {
  const text = useText();
  const id = useId();
  const problem = form.problemOf(field);
  const shared = {
    id,
    className,
    value: form.values[field],
    onChange: ({ target }: { target: { value: string } }) => form.change({ [field]: target.value }),
    'aria-invalid': problem !== null,
    'aria-describedby': problem === null && hint === undefined ? undefined : `${id}-note`,
    autoComplete: 'off',
    spellCheck: field === 'prompt' || field === 'replyText',
  };
  return (
    <div className="new-run-field">
      <label htmlFor={id}>{text(label)}</label>
      {rows > 1 ? <textarea rows={rows} {...shared} /> : <input type="text" {...shared} />}
      <FieldNote id={`${id}-note`} problem={problem}>
        {hint && text(hint)}
      </FieldNote>
    </div>
  );
}

export function FieldNote({ id, problem, children }: { id: string; problem: string | null; children?: ReactNode }) {
  if (problem === null && !children) return null;
  return (
    <p id={id} className={problem === null ? 'quiet small' : 'small new-run-problem'}>
      {problem ?? children}
    </p>
  );
}
