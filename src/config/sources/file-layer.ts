import { configFields } from '../field-table.ts';
import { type ConfigProblem, invalid, printable, quote } from '../problem.ts';
import { type Layer, readLayer } from '../settings.ts';
import type { ConfigSource } from '../source.ts';
import type { FileContent } from './config-file.ts';
import type { Located } from './located.ts';
import { readYaml } from './yaml-text.ts';

export interface LayerFile {
  path: string;
  /** The path as the user knows it. */
  name: string;
  /** The setting that names the file. Such a file must exist; a standard file may be missing. */
  namedBy?: ConfigSource;
  /** Read once, so that the parsed content is the content that was compared with the trusted hash. */
  content: FileContent;
}

/** The layer of one YAML file; adds problems to `problems`. */
export function readFileLayer(file: LayerFile, problems: ConfigProblem[]): Layer {
  if (file.content.kind === 'absent' && file.namedBy !== undefined) {
    problems.push(invalid(file.namedBy, `the file ${quote(file.name)} does not exist: ${quote(file.path)}`));
  }
  const located = decodeYaml(file, problems);
  return located === undefined ? new Map() : readLayer(located, configFields, problems);
}

/** The content of a YAML file with its places; undefined for an absent file, and after adding to `problems`. */
export function decodeYaml(
  { name, content }: Pick<LayerFile, 'name' | 'content'>,
  problems: ConfigProblem[],
): Located | undefined {
  const source: ConfigSource = { kind: 'file', name: printable(name) };
  switch (content.kind) {
    case 'bytes': {
      const text = decodeText(content.bytes);
      if (text === undefined) problems.push(invalid(source, 'is not UTF-8 text'));
      return text === undefined ? undefined : readYaml(text, source.name, problems);
    }
    case 'absent':
      return undefined;
    case 'not_a_file':
      problems.push(invalid(source, 'is not a regular file'));
      return undefined;
    case 'unreadable':
      problems.push(invalid(source, content.complaint));
      return undefined;
  }
}

/** Undefined if it is not UTF-8. Removes a byte order mark, so that columns are right. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
