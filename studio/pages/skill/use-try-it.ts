import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { SkillAnswer } from '../../../src/client/index.ts';
import { mentionOf, TachoError } from '../../../src/protocol/index.ts';
import { type Draft, type DraftMistakes, emptyDraft, valueOfDraft } from '../../model/skills/schema-draft.ts';
import { type SchemaField, schemaField } from '../../model/skills/schema-field.ts';
import { manifestOf } from '../../model/skills/skill-manifest.ts';
import { problemsByField, violationsOf } from '../../model/skills/violations.ts';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { skills as words } from '../../text/sections/skills.ts';

interface Values {
  engine: string;
  mode: 'auto' | 'interactive';
  cwd: string;
  prompt: string;
}

/** The input or the parameters of a skill, as entered. */
export interface TryPart {
  field: SchemaField;
  draft: Draft;
  /** By JSON Pointer. */
  problems: Readonly<Record<string, string>>;
  isJson: boolean;
  /** Whether there is a form as well as JSON. */
  canSwitch: boolean;
  change(draft: Draft): void;
  toggle(): void;
}

export interface TryItForm {
  values: Values;
  change(change: Partial<Values>): void;
  input: TryPart;
  /** Null if the skill has none. */
  parameters: TryPart | null;
  error: Error | null;
  isSending: boolean;
  submit(event?: FormEvent): void;
}

/** The form of a skill, its problems, and its submission. */
export function useTryIt(skill: SkillAnswer): TryItForm {
  const client = useClient()!;
  const [, navigate] = useLocation();
  const [values, setValues] = useState<Values>({
    engine: '',
    mode: manifestOf(skill).execution_modes[0]!,
    cwd: '',
    prompt: '',
  });
  const input = usePart(skill.schemas.input);
  const parameters = usePart(skill.schemas.parameter);
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  const [problemCount, setProblemCount] = useState(0);
  useEffect(() => {
    if (problemCount > 0) document.querySelector<HTMLElement>('.try-it [aria-invalid="true"]')?.focus();
  }, [problemCount]);

  async function send() {
    setError(null);
    const given = [input.read(), parameters.read()] as const;
    if (given.some((one) => one === null)) setProblemCount((known) => known + 1);
    if (isSending || given[0] === null || given[1] === null) return;
    const [{ value }, { value: parameterValues }] = given;
    setSending(true);
    try {
      const { engine, mode, cwd, prompt } = values;
      const { handle } = await client.createRun({
        engine,
        mode,
        skill: mentionOf(skill),
        ...(value === undefined ? {} : { input: value }),
        ...(parameterValues === undefined ? {} : { parameters: parameterValues as Record<string, unknown> }),
        ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
        ...(prompt.trim() === '' ? {} : { prompt }),
      });
      navigate(`/runs/${handle}`);
    } catch (thrown) {
      setSending(false);
      if (!(thrown instanceof TachoError)) throw thrown;
      const violations = violationsOf(thrown);
      input.refuse(violations?.filter(({ field }) => field === 'input') ?? []);
      parameters.refuse(violations?.filter(({ field }) => field === 'parameters') ?? []);
      if (violations === null) setError(thrown);
      else setProblemCount((known) => known + 1);
    }
  }

  return {
    values,
    change: (change) => setValues((known) => ({ ...known, ...change })),
    input,
    parameters: skill.schemas.parameter === undefined ? null : parameters,
    error,
    isSending,
    submit: (event) => {
      event?.preventDefault();
      void send();
    },
  };
}

interface PartWithValue extends TryPart {
  /** Null if the page finds mistakes. */
  read(): { value: unknown } | null;
  refuse(violations: NonNullable<ReturnType<typeof violationsOf>>): void;
}

function usePart(schema: unknown): PartWithValue {
  const text = useText();
  const form = useMemo(() => ({ ...schemaField(schema), isRequired: schema !== undefined }), [schema]);
  const json = useMemo((): SchemaField => ({ ...form, kind: 'json' }), [form]);
  const [isJson, setJson] = useState(form.kind === 'json');
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(form));
  const [mistakes, setMistakes] = useState<DraftMistakes>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const field = isJson ? json : form;
  const said = Object.entries(mistakes).map(([at, mistake]) => [at, text(words.mistakes[mistake])]);

  return {
    field,
    draft,
    problems: { ...refused, ...Object.fromEntries(said) },
    isJson,
    canSwitch: form.kind !== 'json',
    change(changed) {
      setDraft(changed);
      setMistakes({});
      setRefused({});
    },
    toggle() {
      const { value, mistakes: found } = valueOfDraft(field, draft);
      // JSON that cannot be read stays as it is, with its mistake.
      if (isJson && Object.values(found).includes('notJson')) {
        setMistakes(found);
        return;
      }
      setDraft(emptyDraft(isJson ? form : json, value));
      setMistakes({});
      setRefused({});
      setJson(!isJson);
    },
    read() {
      const { value, mistakes: found } = valueOfDraft(field, draft);
      setMistakes(found);
      setRefused({});
      return Object.keys(found).length === 0 ? { value } : null;
    },
    refuse: (violations) => setRefused(problemsByField(field, violations)),
  };
}
