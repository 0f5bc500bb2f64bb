import './choice.css';

/** A choice among a few visible options. */
export function Choice<T extends string>(props: {
  label: string;
  options: readonly { value: NoInfer<T>; label: string }[];
  value: T;
  onChange(value: NoInfer<T>): void;
}) {
  const { label, options, value, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row of tools everywhere.
    <div className="choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
