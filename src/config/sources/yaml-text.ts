import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { type ConfigProblem, enough, invalid, printable } from '../problem.ts';
import type { ConfigSource } from '../source.ts';
import type { Located } from './located.ts';
import { locateYaml, TOO_DEEP } from './yaml-tree.ts';

/** YAML with the places of all values; undefined, after adding to `problems`, when it is invalid. */
export function readYaml(text: string, fileName: string, problems: ConfigProblem[]): Located | undefined {
  const yaml = yamlLibrary();
  const lines = new yaml.LineCounter();
  const at = (offset: number): ConfigSource => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', name: fileName, line: Math.max(1, line), col };
  };
  let isSound = true;
  const report = (offset: number, complaint: string) => {
    isSound = false;
    if (!enough(problems)) problems.push(invalid(at(offset), complaint));
  };

  // The reader of the map detects duplicate keys: the library compares each key with all earlier ones.
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  for (const flaw of [...document.errors, ...document.warnings]) {
    report(flaw.pos[0], flaw.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : printable(flaw.message));
  }
  if (!isSound) return undefined;
  const located = locateYaml(document.contents, { yaml, at, report });
  return isSound ? located : undefined;
}

/**
 * Loads the YAML library only when there is a file: most starts have none, and loading it takes longer than the rest of
 * `loadConfig`. Uses `require`, because `loadConfig` is synchronous and a lazy `import()` cannot be.
 */
export function yamlLibrary(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}
