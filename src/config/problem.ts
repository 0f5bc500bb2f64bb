import { TachoError } from '../protocol/error-code.ts';
import { type ConfigSource, formatSource } from './source.ts';

/** One thing wrong with the configuration. A load collects them, so that a person can mend all at once. */
export interface ConfigProblem {
  code: 'CONFIG_INVALID' | 'CONFIG_UNKNOWN_KEY';
  /** Begins with the place: `config/tacho.yaml:3:5: …`. Never holds a secret. */
  message: string;
  source: ConfigSource;
  /** The key concerned, where there is one. */
  path?: string;
  /** The known key that was probably meant. */
  suggestion?: string;
}

/** Past this many, more are of no use to anybody, and a hostile file must not cost minutes. */
export const ENOUGH_PROBLEMS = 20;
const SHOWN_AS_FURTHER = 5;

export function enough(problems: readonly ConfigProblem[]): boolean {
  return problems.length >= ENOUGH_PROBLEMS;
}

/** `complaint` follows the place it is about. */
export function invalid(source: ConfigSource, complaint: string, path?: string): ConfigProblem {
  const message = `${formatSource(source)}: ${complaint}`;
  return { code: 'CONFIG_INVALID', message, source, ...(path === undefined ? {} : { path }) };
}

/** The first problem is the message; all of them are in `facts.problems`, and the next few in `fix`. */
export function throwIfAny(problems: readonly ConfigProblem[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const shown = others.slice(0, SHOWN_AS_FURTHER).map((problem) => problem.message);
  if (others.length > shown.length) shown.push(`and ${others.length - shown.length} more`);
  throw new TachoError(first.code, first.message, {
    facts: { problems: [...problems] },
    ...(shown.length === 0 ? {} : { fix: `Also wrong: ${shown.join('; ')}` }),
  });
}

/** Text out of a file in quotes, safe to print and not endless. */
export function quote(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text));
}

/** As it is when it looks like a path, else in quotes. */
export function quotePath(path: string): string {
  return /^[\w.[\]-]{1,80}$/.test(path) ? path : quote(path);
}

/** A message goes to a terminal, which must not be steered by what stands in a file. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
