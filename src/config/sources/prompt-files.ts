import { resolve } from 'node:path';
import { TachoError } from '../../protocol/error-code.ts';
import { quote } from '../problem.ts';
import type { Setting } from '../settings.ts';
import { type ConfigSource, formatSource } from '../source.ts';
import type { HeldBack } from '../trust/hold-back.ts';
import type { PlacedLayer } from '../trust/settings-from.ts';
import { isBelow, liesIn, realFolder } from '../trust/workspace-folder.ts';
import type { FileContent } from './config-file.ts';
import { decodeText } from './file-layer.ts';

const KEYS = ['prompt.system_file', 'prompt.developer_file'] as const;
type PromptFileKey = (typeof KEYS)[number];

/** A text that an agent is told, in a file. Part of what is trusted: an agent could write it for the next one. */
export interface PromptFile {
  key: PromptFileKey;
  path: string;
  /** Its path as the user wrote it. */
  name: string;
  content: FileContent;
  namedBy: ConfigSource;
  /** Written or chosen by the author of the workspace. */
  ofWorkspace: boolean;
  /** Named by a file of the user, by a variable or for this session. */
  byUser: boolean;
}

/** The texts that a layer names; relative paths start at `root`. A workspace gets to see files of its own only. */
export function promptFiles(
  { layer, from }: PlacedLayer,
  { root, workspaceRoot, readFile }: { root: string; workspaceRoot: string; readFile: (path: string) => FileContent },
): PromptFile[] {
  return KEYS.flatMap((key) => {
    const setting = layer.get(key);
    if (setting === undefined || setting.value === '') return [];
    const name = setting.value as string;
    const path = resolve(root, name);
    const byUser = from !== 'workspace_trusted';
    const isForeign = !byUser && !isBelow(realFolder(workspaceRoot), realFolder(path));
    const content: FileContent = isForeign
      ? { kind: 'unreadable', complaint: 'is outside of the workspace that names it' }
      : readFile(path);
    const ofWorkspace = !byUser || liesIn(workspaceRoot, path);
    return [{ key, path, name, content, namedBy: setting.source, ofWorkspace, byUser }];
  });
}

/** Texts that the user names, but the workspace wrote. */
export function theirTexts(files: readonly PromptFile[]): HeldBack[] {
  return files
    .filter(({ byUser, ofWorkspace }) => byUser && ofWorkspace)
    .map(({ key, name, namedBy }) => ({ path: key, value: name, source: namedBy }));
}

/** The layer without such texts. */
export function withoutTheirTexts(place: PlacedLayer, files: readonly PromptFile[]): PlacedLayer {
  const theirs = new Set(theirTexts(files).map(({ source }) => source));
  const isTheirs = ([path, { source }]: [string, Setting]) => KEYS.some((key) => key === path) && theirs.has(source);
  if (theirs.size === 0) return place;
  return { ...place, layer: new Map([...place.layer].filter((entry) => !isTheirs(entry))) };
}

/** The text of a file that counts. Throws CONFIG_INVALID if there is none. */
export function promptText({ key, path, name, content, namedBy }: PromptFile): string {
  const text = content.kind === 'bytes' ? decodeText(content.bytes) : undefined;
  if (text !== undefined) return text;
  const complaint = complaintOf(content);
  throw new TachoError('CONFIG_INVALID', `${formatSource(namedBy)}: ${key}: ${quote(name)} ${complaint}`, {
    facts: { path: key, file: path },
    fix: `Correct the path, or remove the setting: tacho config unset ${key}`,
  });
}

function complaintOf(content: FileContent): string {
  switch (content.kind) {
    case 'bytes':
      return 'is not UTF-8 text';
    case 'absent':
      return 'does not exist';
    case 'not_a_file':
      return 'is not a regular file';
    case 'unreadable':
      return content.complaint;
  }
}
