import type { FieldFacts } from '../field.ts';
import type { FieldTable } from '../field-table.ts';
import { editDistance, nearest } from '../nearest-key.ts';
import { type ConfigProblem, enough, invalid, printable, quote } from '../problem.ts';
import { type Layer, readField, type Setting } from '../settings.ts';
import { type ConfigSource, formatSource } from '../source.ts';
import { locate } from './located.ts';

/** A variable of the process or a line of `.env`; its name begins with TACHO_. */
export interface Variable {
  name: string;
  text: string;
  source: ConfigSource;
}

/** The settings among the variables. An empty variable counts as unset; the last of several with the same name wins. */
export function readEnvironment(variables: readonly Variable[], table: FieldTable, problems: ConfigProblem[]): Layer {
  const fields = new Map([...table.fields.values()].map((field) => [field.environment_name, field]));
  const layer = new Map<string, Setting>();
  for (const variable of variables) {
    if (variable.text.trim() === '' || enough(problems)) continue;
    const field = fields.get(variable.name);
    if (field === undefined) {
      reportIfMisspelt(variable, table, problems);
      continue;
    }
    const { source } = variable;
    const value = valueFromText(variable.text, field.facts);
    if (value === undefined) problems.push(invalid(source, notAList(field.path, variable.text), field.path));
    else readField(field, { value: locate(value, source), source }, { layer, problems });
  }
  return layer;
}

/** The value of a text on one line; undefined for a list that starts like JSON but is not. */
export function valueFromText(written: string, { kind, nullable }: Pick<FieldFacts, 'kind' | 'nullable'>): unknown {
  const text = written.trim();
  if (nullable && text === 'null') return null;
  switch (kind) {
    case 'list':
      return text.startsWith('[') ? parseJson(text) : text.split(',').map((item) => item.trim());
    case 'map':
      return parseJson(text) ?? text;
    case 'text':
    case 'choice':
      return text;
    case 'flag':
      return text === 'true' || (text === 'false' ? false : text);
    case 'integer':
    case 'duration':
    case 'size':
      // The name of the key ends with its unit, so a bare number is as clear as in a file.
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'number':
      return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
}

export function notAList(path: string, text: string): string {
  return `${path} is not a JSON list: ${quote(text.trim())}`;
}

/** Named like a key of a section, but not settings: a secret, and what tacho tells the programs it starts. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(['TACHO_RUNTIME_TOKEN', 'TACHO_MCP_SOURCE']);

/**
 * Other parts of tacho have their own variables (TACHO_HOME, TACHO_RUN_ID …), so an unknown name is not always a
 * mistake: only one inside a section of the configuration, or one similar to the name of a field.
 */
function reportIfMisspelt(variable: Variable, table: FieldTable, problems: ConfigProblem[]): void {
  if (NOT_SETTINGS.has(variable.name)) return;
  const words = [...table.fields.values()].map((field) => ({ word: field.environment_name, path: field.path }));
  const inSection = [...table.sections.keys()].some(
    (section) => section !== '' && variable.name.startsWith(`TACHO_${section.toUpperCase()}_`),
  );
  const near = inSection ? nearest(variable.name, words) : words.find(({ word }) => isTypo(variable.name, word));
  if (near === undefined && !inSection) return;
  const help = near === undefined ? 'see `tacho config explain` for the known keys' : `did you mean ${near.word}?`;
  problems.push({
    code: 'CONFIG_UNKNOWN_KEY',
    message: `${formatSource(variable.source)}: no key of the configuration has the variable ${printable(variable.name)}; ${help}`,
    source: variable.source,
    ...(near === undefined ? {} : { suggestion: near.word }),
  });
}

function isTypo(written: string, meant: string): boolean {
  return Math.abs(written.length - meant.length) <= 2 && editDistance(written, meant) <= 2;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
