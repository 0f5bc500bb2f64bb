import { TachoError } from '../protocol/error-code.ts';
import { type ConfigSource, formatSource } from './source.ts';

/** One problem of the configuration. A load collects all of them, so that they can be fixed at once. */
export interface ConfigProblem {
  code: 'CONFIG_INVALID' | 'CONFIG_UNKNOWN_KEY';
  /** Begins with the place: `config/tacho.yaml:3:5: …`. Never contains a secret. */
  message: string;
  source: ConfigSource;
  /** The key concerned, if any. */
  path?: string;
  /** The known key that was probably meant. */
  suggestion?: string;
}

/** More problems would not help the user, and a hostile file must not take minutes. */
export const MAX_PROBLEMS = 20;
const SHOWN_AS_FURTHER = 5;

export function enough(problems: readonly ConfigProblem[]): boolean {
  return problems.length >= MAX_PROBLEMS;
}

/** `complaint` follows the place. */
export function invalid(source: ConfigSource, complaint: string, path?: string): ConfigProblem {
  const message = `${formatSource(source)}: ${complaint}`;
  return { code: 'CONFIG_INVALID', message, source, ...(path === undefined ? {} : { path }) };
}

/** The first problem is the message; `facts.problems` has all of them, and `fix` the next few. */
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

/** Quotes text from a file: printable and of limited length. */
export function quote(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text));
}

/** Unchanged if it looks like a path, else quoted. */
export function quotePath(path: string): string {
  return /^[\w.[\]-]{1,80}$/.test(path) ? path : quote(path);
}

/** Replaces control characters, since text from a file must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
