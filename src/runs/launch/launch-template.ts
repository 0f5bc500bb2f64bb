import type { ConditionalWords, Template, Word } from '../../engines/index.ts';
import { PLACEHOLDERS, type Placeholder } from '../../protocol/index.ts';

/** Values for the placeholders of an engine's templates; null if unset. */
export interface LaunchValues extends Record<Placeholder, string | null> {
  prompt: string | null;
  session: string | null;
  model: string | null;
  base_url: string | null;
  format: string | null;
  mode: string | null;
  /** Folder for approval decisions. */
  approvals: string;
  workspace: string;
  /** The data folder of tacho. */
  data: string;
  home: string;
  /** The folder of the run's skills; null for a run without any. */
  skills: string | null;
}

/** The values of a program that gets no prompt. */
export function valuesWithoutPrompt(places: Pick<LaunchValues, 'workspace' | 'home'>): LaunchValues {
  return {
    prompt: null,
    session: null,
    model: null,
    base_url: null,
    format: null,
    mode: null,
    approvals: '',
    data: '',
    skills: null,
    ...places,
  };
}

/** `{model}`; `{model|gpt-5}` with a default; `{workspace:quoted}` as a JSON or TOML string. */
const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join('|')})(:quoted)?(?:\\|([\\w./-]*))?\\}`, 'g');

/** Renders an argv template. A value is never parsed for placeholders or split into arguments. */
export function renderWords(
  words: readonly Word[],
  values: LaunchValues,
  engineArguments: readonly string[],
): string[] {
  return words.flatMap((word) => {
    if (typeof word === 'string') return [renderText(word, values)];
    if ('engineArguments' in word) return engineArguments;
    return renderConditional(word, values);
  });
}

export function renderText(text: string, values: LaunchValues): string {
  return text.replace(PLACEHOLDER, (_, name: keyof LaunchValues, quoted?: string, fallback = '') => {
    const value = values[name] ?? fallback;
    return quoted ? JSON.stringify(value) : value;
  });
}

/** Fills in the keys and strings of a configuration. */
export function renderTemplate(template: Template, values: LaunchValues): unknown {
  if (typeof template === 'string') return renderText(template, values);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((inner: Template) => renderTemplate(inner, values));
  return Object.fromEntries(
    Object.entries(template as Record<string, Template>).map(([key, inner]) => [
      renderText(key, values),
      renderTemplate(inner, values),
    ]),
  );
}

function renderConditional(word: ConditionalWords, values: LaunchValues): string[] {
  if (!holds(word.when, values) || (word.unless !== undefined && holds(word.unless, values))) return [];
  const name = word.when as keyof LaunchValues;
  const pieces =
    word.cutAt === undefined
      ? [values]
      : values[name]!.split(word.cutAt).map((piece) => ({ ...values, [name]: piece }));
  return pieces.flatMap((given) => word.words.map((inner) => renderText(inner, given)));
}

/** `model`: it is set. `format=json`: it has this value. */
export function holds(when: string, values: LaunchValues): boolean {
  const [name, wanted] = when.split('=', 2) as [keyof LaunchValues, string | undefined];
  return wanted === undefined ? values[name] !== null : values[name] === wanted;
}
