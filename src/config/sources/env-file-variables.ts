import { type ConfigProblem, invalid } from '../problem.ts';
import type { ConfigSource } from '../source.ts';
import { readSmallFile } from './config-file.ts';
import { parseEnvFile } from './env-file.ts';
import type { Variable } from './environment.ts';

/**
 * The TACHO_ variables of a `.env` file. The rest of it belongs to others: their secrets are not kept, and their lines
 * may be as broken as they like.
 */
export function readEnvFileVariables(path: string, name: string, problems: ConfigProblem[]): Variable[] {
  const content = readSmallFile(path);
  if (content.kind === 'unreadable') problems.push(invalid({ kind: 'env_file', name }, content.complaint));
  // A folder called .env is a Python environment, and none of our business.
  if (content.kind !== 'bytes') return [];
  const file = parseEnvFile(new TextDecoder().decode(content.bytes));
  for (const line of file.skipped) {
    if (!/^(export[ \t]+)?TACHO_/.test(line.text)) continue;
    const source: ConfigSource = { kind: 'env_file', name, line: line.line, col: line.col };
    problems.push(invalid(source, 'this line cannot be read as NAME=value; are its quotes closed?'));
  }
  return file.entries
    .filter((entry) => entry.name.startsWith('TACHO_'))
    .map((entry) => ({
      name: entry.name,
      text: entry.value,
      source: { kind: 'env_file', name, line: entry.line, col: entry.col },
    }));
}
