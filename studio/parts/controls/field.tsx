import './field.css';
import { type ReactNode, useId } from 'react';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';

interface Props {
  label: string;
  value: string;
  onChange(value: string): void;
  problem: string | null;
  hint?: string | undefined;
  rows?: number | undefined;
  className?: string | undefined;
  spellCheck?: boolean;
}

/** A text field with its hint or its problem below. */
export function Field({ label, value, onChange, problem, hint, rows = 1, className, spellCheck = false }: Props) {
  const id = useId();
  const shared = {
    id,
    className,
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    'aria-invalid': problem !== null,
    'aria-describedby': problem === null && hint === undefined ? undefined : `${id}-note`,
    autoComplete: 'off',
    spellCheck,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows > 1 ? <textarea rows={rows} {...shared} /> : <input type="text" {...shared} />}
      <FieldNote id={`${id}-note`} problem={problem}>
        {hint}
      </FieldNote>
    </div>
  );
}

export function FieldNote({ id, problem, children }: { id: string; problem: string | null; children?: ReactNode }) {
  if (problem === null && !children) return null;
  return (
    <p id={id} className={problem === null ? 'quiet small' : 'small field-problem'}>
      {problem ?? children}
    </p>
  );
}

/** The arguments that a command line was split into. */
export function ArgvList({ argv }: { argv: readonly string[] }) {
  const text = useText();
  if (argv.length === 0) return null;
  return (
    <div className="field">
      <span>{text(newRun.argv)}</span>
      <ol className="argv-list bytes" start={0}>
        {argv.map((argument, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same argument may stand there twice.
          <li key={index}>{argument}</li>
        ))}
      </ol>
    </div>
  );
}
