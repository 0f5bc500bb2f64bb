import { type FormEvent, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { TachoError } from '../../../src/protocol/index.ts';
import { parseArgv } from '../../model/runs/argv.ts';
import { EMPTY_FORM, type FormField, type Mistakes, type RunForm, requestOf } from '../../model/runs/new-run.ts';
import { type Refusal, refusalOf } from '../../model/runs/refusal.ts';
import { useClient } from '../../state/client.tsx';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';

export interface NewRunForm {
  values: RunForm;
  change(change: Partial<RunForm>): void;
  /** The problem of a field, found by the page or reported by the server. */
  problemOf(field: FormField): string | null;
  general: string | null;
  fix: string | null;
  isSending: boolean;
  submit(event?: FormEvent): void;
}

/** The form, its problems, and its submission. */
export function useNewRun(): NewRunForm {
  const text = useText();
  const client = useClient()!;
  const [, navigate] = useLocation();
  const [values, setValues] = useState(EMPTY_FORM);
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isSending, setSending] = useState(false);
  useFocusOnProblem(mistakes, refusal);

  function change(change: Partial<RunForm>) {
    setValues((known) => ({ ...known, ...change }));
    const isStillSo = ([field]: [string, unknown]) => !Object.hasOwn(change, field);
    setMistakes((known) => Object.fromEntries(Object.entries(known).filter(isStillSo)));
    setRefusal(
      (known) => known && { ...known, fields: Object.fromEntries(Object.entries(known.fields).filter(isStillSo)) },
    );
  }

  async function send() {
    const request = requestOf(values);
    setRefusal(null);
    setMistakes('mistakes' in request ? request.mistakes : {});
    if ('mistakes' in request || isSending) return;
    setSending(true);
    try {
      const { handle } = await client.createRun(request.run);
      navigate(`/runs/${handle}`);
    } catch (error) {
      setSending(false);
      if (!(error instanceof TachoError)) throw error;
      setRefusal(refusalOf(error));
    }
  }

  function problemOf(field: FormField): string | null {
    const mistake = mistakes[field];
    if (mistake === undefined) return refusal?.fields[field] ?? null;
    if (mistake === 'unclosed') return text(newRun.unclosedQuote)(parseArgv(values.command).open ?? '');
    return text(newRun[mistake]);
  }

  return {
    values,
    change,
    problemOf,
    general: refusal?.general ?? null,
    fix: refusal?.fix ?? null,
    isSending,
    submit: (event) => {
      event?.preventDefault();
      void send();
    },
  };
}

/** Moves the focus to the first field with a problem. */
function useFocusOnProblem(mistakes: Mistakes, refusal: Refusal | null): void {
  const count = Object.keys(mistakes).length + Object.keys(refusal?.fields ?? {}).length;
  useEffect(() => {
    if (count > 0) document.querySelector<HTMLElement>('.new-run [aria-invalid="true"]')?.focus();
  }, [count]);
}
