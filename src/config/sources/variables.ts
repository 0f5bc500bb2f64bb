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

/**
 * The TACHO_ variables of a `.env` file. The rest belongs to other programs: their secrets are not kept, and their lines
 * are not checked.
 */
export function envFileVariables(content: FileContent, name: string, problems: ConfigProblem[]): Variable[] {
  if (content.kind === 'unreadable') problems.push(invalid({ kind: 'env_file', name }, content.complaint));
  // A folder called .env is a Python environment.
  if (content.kind !== 'bytes') return [];
  const file = parseEnvFile(new TextDecoder().decode(content.bytes));
  for (const line of file.skipped) {
    if (!/^(export[ \t]+)?TACHO_/.test(line.text)) continue;
    const source: ConfigSource = { kind: 'env_file', name, line: line.line, col: line.col };
    problems.push(invalid(source, 'this line cannot be read as NAME=value; are its quotes closed?'));
  }
  return file.entries
    .filter((entry) => entry.name.startsWith(PREFIX))
    .map((entry) => ({
      name: entry.name,
      text: entry.value,
      source: { kind: 'env_file', name, line: entry.line, col: entry.col },
    }));
}
