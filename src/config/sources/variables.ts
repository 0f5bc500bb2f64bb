import { MODEL_KEYS } from '../../protocol/model-keys.ts';
import { type ConfigProblem, invalid, printable } from '../problem.ts';
import type { ConfigSource } from '../source.ts';
import type { FileContent } from './config-file.ts';
import { parseEnvFile } from './env-file.ts';
import type { Variable } from './environment.ts';

const PREFIX = 'TACHO_';

/** The variables of the process that may be settings. */
export function environmentVariables(env: Readonly<Record<string, string | undefined>>): Variable[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ name, text: env[name] ?? '', source: { kind: 'environment', name: printable(name) } }));
}

/** The content of a `.env` file that concerns tacho. */
export interface EnvFileContent {
  /** Its TACHO_ variables, which may be settings. */
  variables: Variable[];
  /** Its keys for model services; the last one of a name wins. */
  keys: Variable[];
  /** Further lines, for keys that settings name. */
  named(names: ReadonlySet<string>): Variable[];
}

/**
 * The lines of a `.env` file that concern tacho. The rest belongs to other programs: their secrets are not kept, and
 * their lines are not checked.
 */
export function readEnvFile(content: FileContent, name: string, problems: ConfigProblem[]): EnvFileContent {
  if (content.kind === 'unreadable') problems.push(invalid({ kind: 'env_file', name }, content.complaint));
  // A folder called .env is a Python environment.
  if (content.kind !== 'bytes') return { variables: [], keys: [], named: () => [] };
  const file = parseEnvFile(new TextDecoder().decode(content.bytes));
  for (const line of file.skipped) {
    if (!/^(export[ \t]+)?TACHO_/.test(line.text)) continue;
    const source: ConfigSource = { kind: 'env_file', name, line: line.line, col: line.col };
    problems.push(invalid(source, 'this line cannot be read as NAME=value; are its quotes closed?'));
  }
  const all = file.entries.map((entry): Variable => {
    const source: ConfigSource = { kind: 'env_file', name, line: entry.line, col: entry.col };
    return { name: entry.name, text: entry.value, source };
  });
  const last = (isWanted: (name: string) => boolean) => {
    const found = all.filter(({ name: written, text }) => text !== '' && isWanted(written));
    return [...new Map(found.map((one) => [one.name, one])).values()];
  };
  return {
    variables: all.filter((one) => one.name.startsWith(PREFIX) && !MODEL_KEYS.has(one.name)),
    keys: last((written) => MODEL_KEYS.has(written)),
    named: (names) => last((written) => names.has(written) && !MODEL_KEYS.has(written)),
  };
}
