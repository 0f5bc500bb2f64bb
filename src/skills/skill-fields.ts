import { type ErrorCode, SKILL_NAME_PATTERN, SKILL_NAME_RULE } from '../protocol/index.ts';
import { onOneLine, quoted } from './quoted.ts';
import { MAX_DESCRIPTION_CHARS, MAX_METADATA_CHARS, MAX_REQUIRED_VARIABLES, type SkillMetadata } from './skill.ts';

export type SkillFields = Pick<SkillMetadata, 'name' | 'description' | 'required_env_vars' | 'metadata'>;

/** A flaw of one field. */
export interface FieldFlaw {
  code: ErrorCode;
  severity: 'error' | 'warning';
  /** The field, at the top of the frontmatter. */
  key: string;
  message: string;
  fix: string;
}

/** The fields of a skill from any source: frontmatter, a row, a hash. `fields` is null if one of the flaws is an error. */
export function readSkillFields(raw: Readonly<Record<string, unknown>>): {
  fields: SkillFields | null;
  flaws: FieldFlaw[];
} {
  const flaws: FieldFlaw[] = [];
  const fields: SkillFields = {
    name: readName(raw.name, flaws),
    description: readDescription(raw.description, flaws),
    required_env_vars: readVariables(raw.required_env_vars, flaws),
    metadata: readMetadata(raw.metadata, flaws),
  };
  return { fields: flaws.some(({ severity }) => severity === 'error') ? null : fields, flaws };
}

function readName(value: unknown, flaws: FieldFlaw[]): string {
  if (typeof value === 'string' && SKILL_NAME_PATTERN.test(value)) return value;
  const fix = 'Set it to the name of the folder.';
  if (isAbsent(value)) flaws.push(missing('name', fix));
  else flaws.push(wrong('name', `has to be ${SKILL_NAME_RULE}, not ${shown(value)}`, fix));
  return '';
}

function readDescription(value: unknown, flaws: FieldFlaw[]): string {
  const fix = 'Say what the skill does and when to use it.';
  if (isAbsent(value) || (typeof value === 'string' && value.trim() === '')) {
    flaws.push(missing('description', fix));
    return '';
  }
  if (typeof value !== 'string') {
    flaws.push(wrong('description', `has to be text, not ${shown(value)}`, 'Put it in quotes.'));
    return '';
  }
  const line = onOneLine(value.slice(0, 4 * MAX_DESCRIPTION_CHARS));
  if (line.length <= MAX_DESCRIPTION_CHARS) return line;
  flaws.push({
    code: 'SKILL_FIELD_INVALID',
    severity: 'warning',
    key: 'description',
    message: `description is longer than ${MAX_DESCRIPTION_CHARS} characters and is cut`,
    fix: 'Move details into the text of the skill.',
  });
  return cut(line, MAX_DESCRIPTION_CHARS);
}

function readVariables(value: unknown, flaws: FieldFlaw[]): string[] {
  if (isAbsent(value)) return [];
  const isNames =
    Array.isArray(value) &&
    value.length <= MAX_REQUIRED_VARIABLES &&
    value.every((name) => typeof name === 'string' && /^[A-Za-z_]\w{0,127}$/.test(name));
  if (isNames) return [...new Set(value as string[])];
  const rule = `has to be a list of at most ${MAX_REQUIRED_VARIABLES} names of environment variables`;
  flaws.push(wrong('required_env_vars', rule, 'Write it as [GITHUB_TOKEN, API_URL]; names only, never values.'));
  return [];
}

function readMetadata(value: unknown, flaws: FieldFlaw[]): Record<string, unknown> {
  if (isAbsent(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    flaws.push(
      wrong('metadata', `has to be a map, not ${shown(value)}`, 'Write it as keys and values below metadata:.'),
    );
    return {};
  }
  const text = JSON.stringify(value);
  // A copy as JSON: YAML can hold values that cannot be sent on.
  if (text.length <= MAX_METADATA_CHARS) return JSON.parse(text) as Record<string, unknown>;
  flaws.push({
    code: 'SKILL_FIELD_INVALID',
    severity: 'warning',
    key: 'metadata',
    message: `metadata is longer than ${MAX_METADATA_CHARS} characters and is left out`,
    fix: 'Move it into a file of the skill.',
  });
  return {};
}

function missing(key: string, fix: string): FieldFlaw {
  return { code: 'SKILL_FIELD_MISSING', severity: 'error', key, message: `${key} is missing`, fix };
}

function wrong(key: string, complaint: string, fix: string): FieldFlaw {
  return { code: 'SKILL_FIELD_INVALID', severity: 'error', key, message: `${key} ${complaint}`, fix };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a map' : String(value);
}

/** The beginning of a text, with a mark at its end; never half of a character. */
export function cut(text: string, length: number): string {
  const kept = text.slice(0, Math.max(0, length - 1));
  return `${kept.replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}
