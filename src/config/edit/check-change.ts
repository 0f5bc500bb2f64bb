import { TachoError } from '../../protocol/error-code.ts';
import { checkValue } from '../check-value.ts';
import { entryPathOf } from '../field-table.ts';
import type { ConfigKey } from '../find-key.ts';
import { type LoadConfigRequest, loadConfig } from '../overlays.ts';
import { type ConfigProblem, throwIfAny } from '../problem.ts';
import { readField } from '../settings.ts';
import { readSmallFile } from '../sources/config-file.ts';
import { locate } from '../sources/located.ts';
import type { EditRequest } from './change-file.ts';

/** Values on the command line have one place. */
const COMMAND_LINE = { kind: 'session', name: 'command line' } as const;

/** Checks a value alone, so that the message is about the typed text. */
export function checkTyped(key: ConfigKey, value: unknown): void {
  const problems: ConfigProblem[] = [];
  const isRemoval = value === null && key.entry !== undefined;
  if (key.value !== undefined && !isRemoval) {
    checkValue(key.value.schema, key.path, locate(value, COMMAND_LINE), problems);
  } else if (key.value === undefined) {
    const whole = key.entry === undefined ? value : { [key.entry]: value };
    readField(key.field!, { value: locate(whole, COMMAND_LINE), source: COMMAND_LINE }, { layer: new Map(), problems });
  }
  throwIfAny(problems);
}

/**
 * Rejects new content of a file that causes new problems. Checks all layers: an incomplete entry would stop every later
 * command.
 */
export function checkChange(request: EditRequest, { path, after }: { path: string; after: string }, key: string): void {
  const readFile: LoadConfigRequest['readFile'] = (name) =>
    name === path ? { kind: 'bytes', bytes: Buffer.from(after) } : readSmallFile(name);
  const subject = ({ code, path: at, message }: ConfigProblem) => `${code} ${at ?? message}`;
  const before = new Set(problemsWith(request).map(subject));
  const added = problemsWith({ ...request, readFile }).filter((problem) => !before.has(subject(problem)));
  const entry = entryPathOf(key);
  const isAboutEntry = added.some((problem) => problem.path !== undefined && entryPathOf(problem.path) === entry);
  try {
    throwIfAny(added);
  } catch (error) {
    if (!(error instanceof TachoError) || !isAboutEntry || entry === key) throw error;
    const fix = `To set all values of the entry at once: tacho config set ${entry} '{…}'; to remove it: tacho config unset ${entry}`;
    throw new TachoError(error.code, error.message, { facts: error.facts, fix });
  }
}

/** All problems of the configuration, as if the workspace were trusted. */
export function problemsWith(request: LoadConfigRequest): ConfigProblem[] {
  try {
    loadConfig({ ...request, asIfTrusted: true });
    return [];
  } catch (error) {
    if (!(error instanceof TachoError) || !Array.isArray(error.facts.problems)) throw error;
    return error.facts.problems as ConfigProblem[];
  }
}
