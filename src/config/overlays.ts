import type { SettingsFrom } from '../protocol/settings-from.ts';
import { configFields } from './field-table.ts';
import { type FileLayersRequest, readFileLayers } from './file-layers.ts';
import { unknownKey } from './find-key.ts';
import { reportIncomplete } from './named/merge-named.ts';
import { type FieldOrigin, resolveConfig, resolveOrigins, SECRET_IS_SET } from './origins.ts';
import { type ConfigProblem, throwIfAny } from './problem.ts';
import type { Config, ConfigSettings } from './schema.ts';
import { readLayer } from './settings.ts';
import type { ConfigSource } from './source.ts';
import { readEnvironment, type Variable } from './sources/environment.ts';
import { locate } from './sources/located.ts';
import type { PromptFile } from './sources/prompt-files.ts';
import { environmentVariables } from './sources/variables.ts';
import { allThatTrustAllows, type HeldBack, holdBack } from './trust/hold-back.ts';
import type { WorkspaceTrust } from './trust/ignored-settings.ts';
import { type PlacedLayer, settingsFrom } from './trust/settings-from.ts';
import { isOfWorkspace, keepUserPolicy, type LeveledRule, leveledRules } from './trust/user-policy.ts';

export interface LoadConfigRequest extends FileLayersRequest {
  /** Settings for this session only; later ones win. */
  session?: SessionSettings | readonly SessionSettings[] | undefined;
}

export interface SessionSettings {
  /** Shown as the origin: `--timeout`. */
  name: string;
  /** Undefined fields are ignored. */
  settings: ConfigSettings;
}

/** A key for a model service; its value is null unless the workspace is trusted. */
export interface EnvFileKey {
  name: string;
  value: string | null;
  /** The workspace, and the hash of its trusted content. */
  folder: string;
  sha256: string;
  source: ConfigSource;
}

/** The effective configuration, frozen, and the origin of each field. */
export interface LoadedConfig {
  readonly config: Config;
  /** One per field, in the order of the schema; for named entries one per value. */
  readonly origins: readonly FieldOrigin[];
  /** The same without values, by place; for the record of a run. */
  readonly settings: SettingsFrom[];
  readonly workspace: WorkspaceTrust;
  /** Keys for model services in the workspace's `.env`, for engines that use them. */
  readonly envFileKeys: readonly EnvFileKey[];
  /** Further keys there, which `llm.api_key_env` and `mcp.servers` name. They are for agents of tacho only. */
  readonly namedKeys: readonly EnvFileKey[];
  /** The items of `safety.rules`, each with who states it. */
  readonly rules: readonly LeveledRule[];
  /** The files of `prompt.system_file` and `prompt.developer_file`, as they were when they were compared with the trusted ones. */
  readonly promptFiles: readonly PromptFile[];
  /** Settings of the workspace that would loosen those of the user, and so have no effect even if it is trusted. */
  readonly overruled: readonly HeldBack[];
  /** Throws CONFIG_UNKNOWN_KEY for an unknown field. */
  origin(path: string): FieldOrigin;
  /** Who decided on a field. */
  levelOf(path: string): 'default' | 'user' | 'workspace';
}

/**
 * Defaults < the user's `config.yaml` < `config/tacho.yaml` < files in TACHO_CONFIG_PATHS < `.env` <
 * environment < session settings. No other files are read. In untrusted workspace files, only harmless or stricter
 * settings take effect, and no workspace file loosens the user's policy for agents. Throws one CONFIG_… error that contains every problem found.
 */
export function loadConfig(request: LoadConfigRequest): LoadedConfig {
  const { env, session = [] } = request;
  const problems: ConfigProblem[] = [];
  // Read first, because they can name profile folders, and reported last.
  const ofOverlays: ConfigProblem[] = [];
  const environment = readEnvironment(environmentVariables(env), configFields, ofOverlays);
  const sessions = [session].flat().map(({ name, settings }): PlacedLayer => {
    return {
      from: 'command_line',
      layer: readLayer(locate(settings, { kind: 'session', name }), configFields, ofOverlays),
    };
  });
  const over: PlacedLayer[] = [{ from: 'environment', layer: environment }, ...sessions];
  const read = readFileLayers(request, over, problems);
  const { placed: wanted, keys, namedKeys, promptFiles, isAllRead, ...workspace } = read;
  problems.push(...ofOverlays);
  throwIfAny(problems);
  // As if all were trusted: an entry completed by an untrusted file is left out, not an error.
  const all = wanted.map(({ layer }) => layer);
  if (isAllRead) reportIncomplete(configFields, all, problems);
  throwIfAny(problems);

  const { places, heldBack } = holdBack(wanted);
  const { places: counting, overruled } = keepUserPolicy(workspace.trusted || request.asIfTrusted ? wanted : places);
  const layers = counting.map(({ layer }) => layer);
  const needsTrust = [...workspace.needsTrust, ...heldBack];
  let resolved: ReadonlyMap<string, FieldOrigin> | null = null;
  const origins = () => {
    resolved ??= resolveOrigins(configFields, layers);
    return resolved;
  };
  return Object.freeze({
    config: resolveConfig(configFields, layers) as Config,
    // Lazy: rarely used, and it needs the whole schema.
    get origins() {
      return Object.freeze([...origins().values()]);
    },
    get settings() {
      return settingsFrom(configFields, counting, [...(workspace.trusted ? [] : needsTrust), ...overruled]);
    },
    envFileKeys: keys.map(asKey),
    namedKeys: namedKeys.map(asKey),
    get rules() {
      return Object.freeze(leveledRules(counting));
    },
    get promptFiles() {
      return Object.freeze(promptFiles.filter((file) => origins().get(file.key)!.source === file.namedBy));
    },
    overruled: Object.freeze(overruled),
    workspace: Object.freeze({
      ...workspace,
      needsTrust: Object.freeze(needsTrust),
      get asksFor() {
        return [...workspace.needsTrust, ...allThatTrustAllows(wanted), ...[...keys, ...namedKeys].map(asHeldBack)];
      },
    }),
    origin(path: string) {
      const origin = origins().get(path);
      if (origin === undefined) throw unknownKey(configFields, path);
      return origin;
    },
    levelOf(path: string) {
      const place = counting.findLast(({ layer }) => layer.has(path));
      return place === undefined ? 'default' : isOfWorkspace(place) ? 'workspace' : 'user';
    },
  });

  function asKey({ name, text, source }: Variable): EnvFileKey {
    const { folder, sha256, trusted } = workspace;
    return { name, value: trusted ? text : null, folder, sha256: sha256!, source };
  }
}

/** Shown when the user trusts the folder, without its value. */
function asHeldBack({ name, source }: Variable): HeldBack {
  return { path: name, value: SECRET_IS_SET, source };
}
