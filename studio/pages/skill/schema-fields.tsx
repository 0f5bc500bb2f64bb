import { type ReactNode, useId } from 'react';
import { type Draft, emptyDraft, pointerPart } from '../../model/skills/schema-draft.ts';
import type { SchemaField } from '../../model/skills/schema-field.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { FieldNote } from '../../parts/controls/field.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';

interface Props {
  field: SchemaField;
  /** Of a value without a name of its own. */
  label: string;
  draft: Draft;
  /** The JSON Pointer of the value. */
  at: string;
  problems: Readonly<Record<string, string>>;
  onChange(draft: Draft): void;
}

/** The inputs for a value of a schema. */
export function SchemaFields(props: Props): ReactNode {
  switch (props.field.kind) {
    case 'object':
      return <ObjectFields {...props} field={props.field} />;
    case 'list':
      return <ListFields {...props} field={props.field} />;
    default:
      return <Leaf {...props} />;
  }
}

function ObjectFields({
  field,
  draft,
  at,
  problems,
  onChange,
  label,
}: Props & { field: Extract<SchemaField, { kind: 'object' }> }) {
  const id = useId();
  const drafts = draft as Readonly<Record<string, Draft>>;
  const fields = field.fields.map((one) => (
    <SchemaFields
      key={one.name}
      field={one}
      label={one.label}
      draft={drafts[one.name]!}
      at={`${at}/${pointerPart(one.name)}`}
      problems={problems}
      onChange={(changed) => onChange({ ...drafts, [one.name]: changed })}
    />
  ));
  const note = (
    <FieldNote id={id} problem={problems[at] ?? null}>
      {showUnseen(field.hint)}
    </FieldNote>
  );
  if (at === '') {
    return (
      <>
        {note}
        {fields}
      </>
    );
  }
  return (
    <fieldset className="schema-group" aria-describedby={id}>
      <legend>
        <Label field={field} label={label} />
      </legend>
      {note}
      {fields}
    </fieldset>
  );
}

function ListFields({
  field,
  draft,
  at,
  problems,
  onChange,
  label,
}: Props & { field: Extract<SchemaField, { kind: 'list' }> }) {
  const text = useText();
  const id = useId();
  const items = draft as readonly Draft[];
  return (
    <fieldset className="schema-group" aria-describedby={id}>
      <legend>
        <Label field={field} label={label} />
      </legend>
      <FieldNote id={id} problem={problems[at] ?? null}>
        {showUnseen(field.hint)}
      </FieldNote>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no names.
        <div key={index} className="schema-item">
          <SchemaFields
            field={field.item}
            label={`${label} ${index + 1}`}
            draft={item}
            at={`${at}/${index}`}
            problems={problems}
            onChange={(changed) => onChange(items.with(index, changed))}
          />
          <button
            type="button"
            className="plain"
            aria-label={text(words.remove)(`${label} ${index + 1}`)}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            ✕
          </button>
        </div>
      ))}
      <div>
        <button type="button" onClick={() => onChange([...items, emptyDraft(field.item)])}>
          {text(words.add)}
        </button>
      </div>
    </fieldset>
  );
}

function Leaf({ field, label, draft, at, problems, onChange }: Props) {
  const id = useId();
  const problem = problems[at] ?? null;
  const shared = {
    id,
    value: String(draft),
    'aria-invalid': problem !== null,
    'aria-describedby': problem === null && field.hint === '' ? undefined : `${id}-note`,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  const note = (
    <FieldNote id={`${id}-note`} problem={problem}>
      {showUnseen(field.hint)}
    </FieldNote>
  );
  if (field.kind === 'boolean' && (field.isRequired || field.preset !== undefined)) {
    return (
      <div className="field schema-box">
        <label>
          <input
            {...shared}
            type="checkbox"
            checked={draft === 'true'}
            onChange={({ target }) => onChange(String(target.checked))}
          />
          {field.label || label}
        </label>
        {note}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        <Label field={field} label={label} />
      </label>
      <Input field={field} shared={shared} />
      {note}
    </div>
  );
}

type Shared = Record<string, unknown> & { value: string };

function Input({ field, shared }: { field: SchemaField; shared: Shared }): ReactNode {
  const text = useText();
  switch (field.kind) {
    case 'boolean':
    case 'choice': {
      const options = field.kind === 'boolean' ? [true, false] : field.options;
      return (
        <select {...shared}>
          {(!field.isRequired || shared.value === '') && <option value="">{text(words.notSet)}</option>}
          {options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the value.
            <option key={index} value={field.kind === 'boolean' ? String(option) : index}>
              {typeof option === 'string' ? showUnseen(option) : JSON.stringify(option)}
            </option>
          ))}
        </select>
      );
    }
    case 'number':
      return <input {...shared} type="text" inputMode="decimal" className="bytes" autoComplete="off" />;
    case 'json':
      return <textarea {...shared} className="bytes" rows={4} spellCheck={false} placeholder="{ }" />;
    default:
      return field.kind === 'text' && field.multiline ? (
        <textarea {...shared} rows={2} spellCheck={false} />
      ) : (
        <input {...shared} type="text" autoComplete="off" spellCheck={false} />
      );
  }
}

function Label({ field, label }: { field: SchemaField; label: string }) {
  const text = useText();
  return (
    <>
      {showUnseen(field.label || label)}
      {!field.isRequired && <span className="schema-optional"> {text(words.optional)}</span>}
    </>
  );
}
