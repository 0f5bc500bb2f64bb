import { join, resolve } from 'node:path';
import { configFields } from '../field-table.ts';
import { type ConfigProblem, invalid } from '../problem.ts';
import { type Layer, readLayer, type Setting } from '../settings.ts';
import type { ConfigSource } from '../source.ts';
import type { HeldBack } from '../trust/hold-back.ts';
import type { PlacedLayer } from '../trust/settings-from.ts';
import { liesIn } from '../trust/workspace-folder.ts';
import type { FileContent } from './config-file.ts';
import { decodeYaml } from './file-layer.ts';
import { isEmptySection, type Located, type LocatedEntry, showValue } from './located.ts';

const PROFILE_FILE = 'engine.yaml';
const FIELD = configFields.fields.get('engines.defined')!;

/** The file of a profile folder, which holds keys of the engine that a layer defines. */
export interface ProfileFile {
  engine: string;
  folder: string;
  /** Its path as the user knows it. */
  name: string;
  content: FileContent;
  /** The `folder` setting. */
  namedBy: ConfigSource;
  /** Written or chosen by the author of the workspace. */
  ofWorkspace: boolean;
}

/** The profile folders that a layer names; relative paths start at `root`. */
export function profileFiles(
  { layer, from }: PlacedLayer,
  { root, workspaceRoot, readFile }: { root: string; workspaceRoot: string; readFile: (path: string) => FileContent },
): ProfileFile[] {
  const files: ProfileFile[] = [];
  for (const [path, { value, source }] of layer) {
    const entry = FIELD.entryOf(path);
    if (entry?.key !== 'folder' || typeof value !== 'string') continue;
    const folder = resolve(root, value);
    const ofWorkspace = from === 'workspace_trusted' || liesIn(workspaceRoot, folder);
    const content = readFile(join(folder, PROFILE_FILE));
    files.push({
      engine: entry.name,
      folder,
      name: join(value, PROFILE_FILE),
      content,
      namedBy: source,
      ofWorkspace,
    });
  }
  return files;
}

/** The settings of a profile folder, as a layer below the one that names it. */
export function readProfile(file: ProfileFile, problems: ConfigProblem[]): Layer {
  const { engine, folder, name, content, namedBy } = file;
  if (content.kind === 'absent') {
    problems.push(invalid(namedBy, `engines.${engine}.folder: there is no ${PROFILE_FILE} in ${folder}`));
    return new Map();
  }
  const located = decodeYaml({ name, content }, problems);
  if (located === undefined || isEmptySection(located)) return new Map();
  if (located.kind !== 'map') {
    problems.push(invalid(located.source, `engines.${engine} must be a map, not ${showValue(located)}`));
    return new Map();
  }
  const layer = readLayer(inEngines(engine, located), configFields, problems);
  const nested = layer.get(`engines.${engine}.folder`);
  if (nested !== undefined) problems.push(invalid(nested.source, `a profile folder cannot name another folder`));
  return new Map([...layer].map(([path, setting]) => [path, startingIn(folder, path, setting)]));
}

/** What an unread profile folder would set, unless the workspace is trusted. */
export function unreadProfile({ engine, folder, name }: ProfileFile): HeldBack {
  return { path: `engines.${engine}`, value: folder, source: { kind: 'file', name } };
}

/** The content of the file where it would stand in a configuration. */
function inEngines(engine: string, located: Located): Located {
  const source = located.source;
  const wrap = (key: string, value: Located): Located => {
    const entry: LocatedEntry = { key: { kind: 'scalar', value: key, source }, value };
    return { kind: 'map', entries: [entry], source };
  };
  return wrap('engines', wrap(engine, located));
}

/** `./agent.mjs` in the command of a profile folder is a file of that folder. */
function startingIn(folder: string, path: string, setting: Setting): Setting {
  if (FIELD.entryOf(path)?.key !== 'command' || !Array.isArray(setting.value)) return setting;
  const words = setting.value as string[];
  return { ...setting, value: words.map((word) => (/^\.\.?\//.test(word) ? resolve(folder, word) : word)) };
}
