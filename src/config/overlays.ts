import { join } from 'node:path';
import type { SettingsFrom } from '../protocol/settings-from.ts';
import { dataFolderOf } from './data-folder.ts';
import { configFields } from './field-table.ts';
import { unknownKey } from './find-key.ts';
import { reportIncomplete } from './named/merge-named.ts';
import { type FieldOrigin, resolveConfig, resolveOrigins, SECRET_IS_SET } from './origins.ts';
import { type ConfigProblem, throwIfAny } from './problem.ts';
import type { Config, ConfigSettings } from './schema.ts';
import { readLayer } from './settings.ts';
import type { ConfigSource } from './source.ts';
import { type FileContent, readSmallFile } from './sources/config-file.ts';
import { namedFiles, PATHS_VARIABLE } from './sources/config-paths.ts';
import { readEnvironment, type Variable } from './sources/environment.ts';
import { type LayerFile, readFileLayer } from './sources/file-layer.ts';
import { locate } from './sources/located.ts';
import { ENV_FILE, userFile, workspaceFile } from './sources/standard-files.ts';
import { environmentVariables, readEnvFile } from './sources/variables.ts';
import { allThatTrustAllows, type HeldBack, holdBack } from './trust/hold-back.ts';
import type { WorkspaceTrust } from './trust/ignored-settings.ts';
import { type PlacedLayer, settingsFrom } from './trust/settings-from.ts';
import { isTrusted } from './trust/trust-store.ts';
import { contentHash, liesIn, realFolder } from './trust/workspace-folder.ts';

export interface LoadConfigRequest {
  workspaceRoot: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Where it is kept which workspaces are trusted; as the environment says unless given. */
  dataFolder?: string | undefined;
  /** Reads all of it as if it were trusted, to show what it would do. */
  asIfTrusted?: boolean;
  /** Reads the files; to try content that is not written yet. */
  readFile?: (path: string) => FileContent;
  /** What was said for this one session; later ones win. */
  session?: SessionSettings | readonly SessionSettings[] | undefined;
}

export interface SessionSettings {
  /** Shown as the origin: `--timeout`. */
  name: string;
  /** Fields that are undefined are left alone. */
  settings: ConfigSettings;
}

/** A key for a model service; null unless the workspace is trusted. */
export interface EnvFileKey {
  name: string;
  value: string | null;
  /** The workspace, and the hash of what is trusted in it. */
  folder: string;
  sha256: string;
  source: ConfigSource;
}

/** The effective configuration, frozen, and where each field of it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** One per field, in the order of the schema; of named entries one per value. */
  readonly origins: readonly FieldOrigin[];
  /** The same without values, by place; for the record of a run. */
  readonly settings: SettingsFrom[];
  readonly workspace: WorkspaceTrust;
  /** Keys for model services in the `.env` of the workspace, for runs of engines that take them. */
  readonly envFileKeys: readonly EnvFileKey[];
  /** Throws CONFIG_UNKNOWN_KEY when there is no such field. */
  origin(path: string): FieldOrigin;
}

/**
 * Embedded defaults < the user's `config.yaml` < `config/tacho.yaml` < files in TACHO_CONFIG_PATHS < `.env` < environment < session settings.
 * Nothing but these files is read. Of files that belong to the workspace and are not trusted, only what is harmless or
 * stricter counts. Throws one CONFIG_… error that holds every problem found.
 */
export function loadConfig(request: LoadConfigRequest): LoadedConfig {
  const { env, session = [] } = request;
  const problems: ConfigProblem[] = [];
  const { placed, keys, ...workspace } = workspaceLayers(request, problems);
  const environment = readEnvironment(environmentVariables(env), configFields, problems);
  const sessions = [session].flat().map(({ name, settings }): PlacedLayer => {
    return {
      from: 'command_line',
      layer: readLayer(locate(settings, { kind: 'session', name }), configFields, problems),
    };
  });
  const wanted: PlacedLayer[] = [...placed, { from: 'environment', layer: environment }, ...sessions];
  throwIfAny(problems);
  // As if all were trusted: an entry that an untrusted file completes is not an error, but left out.
  reportIncomplete(
    configFields,
    wanted.map(({ layer }) => layer),
    problems,
  );
  throwIfAny(problems);

  const { places, heldBack } = holdBack(wanted);
  const counting = workspace.trusted || request.asIfTrusted ? wanted : places;
  const layers = counting.map(({ layer }) => layer);
  const needsTrust = [...workspace.needsTrust, ...heldBack];
  let resolved: ReadonlyMap<string, FieldOrigin> | null = null;
  const origins = () => {
    resolved ??= resolveOrigins(configFields, layers);
    return resolved;
  };
  return Object.freeze({
    config: resolveConfig(configFields, layers) as Config,
    // Few ask, and the answer needs the whole schema.
    get origins() {
      return Object.freeze([...origins().values()]);
    },
    get settings() {
      return settingsFrom(configFields, counting, workspace.trusted ? [] : needsTrust);
    },
    envFileKeys: keys.map(({ name, text, source }): EnvFileKey => {
      const { folder, sha256, trusted } = workspace;
      return { name, value: trusted ? text : null, folder, sha256: sha256!, source };
    }),
    workspace: Object.freeze({
      ...workspace,
      needsTrust: Object.freeze(needsTrust),
      get asksFor() {
        return [...workspace.needsTrust, ...allThatTrustAllows(wanted), ...keys.map(asHeldBack)];
      },
    }),
    origin(path: string) {
      const origin = origins().get(path);
      if (origin === undefined) throw unknownKey(configFields, path);
      return origin;
    },
  });
}

/** What the files say, as if those of the workspace were trusted; and whether they are. */
function workspaceLayers(
  request: LoadConfigRequest,
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
  // A `.env` without a line for us belongs to other programs, and may change as they like.
  const sha256 = contentHash(
    envFile.length + keys.length === 0 ? files : [...files, { name: ENV_FILE, content: envContent }],
  );
  const trusted = sha256 !== null && isTrusted(dataFolder, folder, sha256);
  const ofWorkspace = { from: 'workspace_trusted', ...(trusted ? { sha256: sha256! } : {}) } as const;

  // Files that an untrusted `.env` names are not even parsed.
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

/** Shown to whoever trusts the folder, without its value. */
function asHeldBack({ name, source }: Variable): HeldBack {
  return { path: name, value: SECRET_IS_SET, source };
}

/** Those of the user and of the folder. A data folder inside the workspace, and so the user's file, could come with it. */
function usualFiles(
  workspaceRoot: string,
  dataFolder: string,
  readFile: (path: string) => FileContent,
): (LayerFile & { ofWorkspace: boolean })[] {
  const [user, own] = [userFile(dataFolder), workspaceFile(workspaceRoot)];
  const content = readFile(user.path);
  return [
    { ...user, content, ofWorkspace: content.kind !== 'absent' && liesIn(workspaceRoot, user.path) },
    { ...own, content: readFile(own.path), ofWorkspace: true },
  ];
}
