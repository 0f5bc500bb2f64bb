import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../files/errno.ts';
import { dataFolderOf } from './data-folder.ts';
import { configFields } from './field-table.ts';
import type { ConfigProblem } from './problem.ts';
import { type FileContent, readSmallFile } from './sources/config-file.ts';
import { namedFiles, PATHS_VARIABLE } from './sources/config-paths.ts';
import { readEnvironment, type Variable } from './sources/environment.ts';
import { type LayerFile, readFileLayer } from './sources/file-layer.ts';
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

/** The layers of the files, as if the workspace were trusted, and whether it is. */
export function readFileLayers(
  request: FileLayersRequest,
  problems: ConfigProblem[],
): Omit<WorkspaceTrust, 'asksFor'> & { placed: PlacedLayer[]; keys: Variable[] } {
  const { workspaceRoot, env, asIfTrusted = false, readFile = readSmallFile } = request;
  const dataFolder = request.dataFolder ?? dataFolderOf(env);
  const usual = usualFiles(workspaceRoot, dataFolder, readFile);
  const envContent = readFile(join(workspaceRoot, ENV_FILE));
  const { variables: envFile, keys } = readEnvFile(envContent, ENV_FILE, problems);
  const { named, byEnvFile } = namedFiles(workspaceRoot, { envFile, environment: environmentVariables(env) }, readFile);

  const folder = realFolder(workspaceRoot);
  const files = [...usual, ...named].filter(({ ofWorkspace }) => ofWorkspace);
  // A `.env` without settings for tacho belongs to other programs, which may change it freely.
  const sha256 = contentHash(
    envFile.length + keys.length === 0 ? files : [...files, { name: ENV_FILE, content: envContent }],
  );
  const trusted = sha256 !== null && isTrusted(dataFolder, folder, sha256);
  const ofWorkspace = { from: 'workspace_trusted', ...(trusted ? { sha256: sha256! } : {}) } as const;

  // Files named by an untrusted `.env` are not even parsed.
  const read = [...usual, ...(byEnvFile && !trusted && !asIfTrusted ? [] : named)];
  const placed = read.map((file): PlacedLayer => {
    const place = file.ofWorkspace ? ofWorkspace : ({ from: 'user_file' } as const);
    return { ...place, file: file.name, layer: readFileLayer(file, problems) };
  });
  placed.push({ ...ofWorkspace, file: ENV_FILE, layer: readEnvironment(envFile, configFields, problems) });
  const needsTrust: HeldBack[] = byEnvFile
    ? [{ path: PATHS_VARIABLE, value: byEnvFile.text, source: byEnvFile.source }]
    : [];
  return { folder, sha256, trusted, needsTrust, placed, keys };
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
