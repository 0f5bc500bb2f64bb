import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { dataFolderOf } from './data-folder.ts';
import { configFields } from './field-table.ts';
import type { ConfigProblem } from './problem.ts';
import { type FileContent, readSmallFile } from './sources/config-file.ts';
import { namedFiles, PATHS_VARIABLE } from './sources/config-paths.ts';
import { readEnvironment, type Variable } from './sources/environment.ts';
import { type LayerFile, readFileLayer } from './sources/file-layer.ts';
import { keyNames } from './sources/key-names.ts';
import { profileFiles, readProfile, unreadProfile } from './sources/profile-folders.ts';
import { type PromptFile, promptFiles, theirTexts, withoutTheirTexts } from './sources/prompt-files.ts';
import { ENV_FILE, userFile, workspaceFile } from './sources/standard-files.ts';
import { environmentVariables, readEnvFile } from './sources/variables.ts';
import type { HeldBack } from './trust/hold-back.ts';
import type { WorkspaceTrust } from './trust/ignored-settings.ts';
import type { PlacedLayer } from './trust/settings-from.ts';
import { isTrusted } from './trust/trust-store.ts';
import { contentHash, liesIn, realFolder } from './trust/workspace-folder.ts';

export interface FileLayersRequest {
  workspaceRoot: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Location of the user's file and of the trust files (default: from the environment). */
  dataFolder?: string | undefined;
  /** Reads everything as if it were trusted, to show the effect. */
  asIfTrusted?: boolean;
  /** Replaces reading files, to try content that is not written yet. */
  readFile?: (path: string) => FileContent;
}

/** The layers of all sources, as if the workspace were trusted, and whether it is. */
interface FileLayers extends Omit<WorkspaceTrust, 'asksFor'> {
  placed: PlacedLayer[];
  keys: Variable[];
  /** Lines of `.env` with keys that settings name, such as `llm.api_key_env`. */
  namedKeys: Variable[];
  promptFiles: PromptFile[];
  /** Files that were not parsed, because the workspace is not trusted. */
  isAllRead: boolean;
}

/** Reads the files. `stronger` are the layers over them, which can name profile folders too. */
export function readFileLayers(
  request: FileLayersRequest,
  stronger: readonly PlacedLayer[],
  problems: ConfigProblem[],
): FileLayers {
  const { workspaceRoot, env, asIfTrusted = false, readFile = readSmallFile } = request;
  const dataFolder = request.dataFolder ?? dataFolderOf(env);
  const usual = usualFiles(workspaceRoot, dataFolder, readFile);
  const envContent = readFile(join(workspaceRoot, ENV_FILE));
  const { variables: envFile, keys, named: keysNamed } = readEnvFile(envContent, ENV_FILE, problems);
  const { named, byEnvFile } = namedFiles(workspaceRoot, { envFile, environment: environmentVariables(env) }, readFile);

  const placeOf = (file: LayerFile & { ofWorkspace: boolean }): PlacedLayer => {
    const from = file.ofWorkspace ? 'workspace_trusted' : 'user_file';
    return { from, file: file.name, layer: readFileLayer(file, problems) };
  };
  const first = (byEnvFile ? usual : [...usual, ...named]).map(placeOf);
  const ofEnvFile = readEnvironment(envFile, configFields, problems);
  const last: PlacedLayer[] = [{ from: 'workspace_trusted', file: ENV_FILE, layer: ofEnvFile }, ...stronger];
  const placesOf = (place: PlacedLayer) => {
    const root = place.file === usual[0]!.name ? dirname(usual[0]!.path) : workspaceRoot;
    return { root, workspaceRoot, readFile };
  };
  const withProfiles = [...first, ...last].map((place) => {
    return { place, profiles: profileFiles(place, placesOf(place)) };
  });
  const profiles = withProfiles.flatMap((one) => one.profiles);
  const prompts = [...first, ...last].flatMap((place) => promptFiles(place, placesOf(place)));

  const folder = realFolder(workspaceRoot);
  const files = [...usual, ...named, ...profiles, ...prompts].filter(({ ofWorkspace }) => ofWorkspace);
  // A `.env` without settings for tacho belongs to other programs, which may change it freely.
  const concernsUs = envFile.length + keys.length + keysNamed(keyNames([...first, ...last])).length > 0;
  const sha256 = contentHash(concernsUs ? [...files, { name: ENV_FILE, content: envContent }] : files);
  const trusted = sha256 !== null && isTrusted(dataFolder, folder, sha256);
  const isRead = (file: { ofWorkspace: boolean }) => !file.ofWorkspace || trusted || asIfTrusted;

  // Files named by an untrusted `.env` and profiles of an untrusted workspace are not even parsed.
  const unread = profiles.filter((file) => !isRead(file));
  const byName = byEnvFile && (trusted || asIfTrusted) ? named.map(placeOf) : [];
  const placed = withProfiles.flatMap(({ place, profiles: below }): PlacedLayer[] => {
    const read = below.filter(isRead).map((file): PlacedLayer => {
      const from = file.ofWorkspace ? 'workspace_trusted' : 'user_file';
      return { from, file: file.name, layer: readProfile(file, problems) };
    });
    const own = trusted || asIfTrusted ? place : withoutTheirTexts(place, prompts);
    return [...(place === last[0] ? byName : []), ...read, own];
  });
  for (const place of placed) if (trusted && place.from === 'workspace_trusted') place.sha256 = sha256!;
  const unparsed: HeldBack[] = [
    ...(byEnvFile ? [{ path: PATHS_VARIABLE, value: byEnvFile.text, source: byEnvFile.source }] : []),
    ...unread.map(unreadProfile),
  ];
  return {
    folder,
    sha256,
    trusted,
    needsTrust: [...unparsed, ...theirTexts(prompts)],
    placed,
    keys,
    namedKeys: keysNamed(keyNames(placed)),
    promptFiles: [...prompts, ...byName.flatMap((place) => promptFiles(place, placesOf(place)))],
    isAllRead: trusted || asIfTrusted || unparsed.length === 0,
  };
}

/**
 * The user's file and the workspace's. A data folder inside the workspace, with the user's file, may come from its
 * author.
 */
function usualFiles(
  workspaceRoot: string,
  dataFolder: string,
  readFile: (path: string) => FileContent,
): (LayerFile & { ofWorkspace: boolean })[] {
  const [user, own] = [userFile(dataFolder), workspaceFile(workspaceRoot)];
  const content = mayExist(user.path) ? readFile(user.path) : ({ kind: 'absent' } as const);
  return [
    { ...user, content, ofWorkspace: content.kind !== 'absent' && liesIn(workspaceRoot, user.path) },
    { ...own, content: readFile(own.path), ofWorkspace: true },
  ];
}

/** A home that this user cannot access, as after a change of users, counts as empty. */
function mayExist(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'EACCES';
  }
}
