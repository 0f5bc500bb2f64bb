import { join, resolve } from 'node:path';
import { configFields } from './field-table.ts';
import { type FieldOrigin, findOrigin, resolveConfig, resolveOrigins } from './origins.ts';
import { type ConfigProblem, invalid, printable, throwIfAny } from './problem.ts';
import type { Config, ConfigSettings } from './schema.ts';
import { type Layer, readLayer } from './settings.ts';
import type { ConfigSource } from './source.ts';
import { readSmallFile } from './sources/config-file.ts';
import { parseEnvFile } from './sources/env-file.ts';
import { readEnvironment, type Variable } from './sources/environment.ts';
import { type LayerFile, readFileLayer } from './sources/file-layer.ts';
import { locate } from './sources/located.ts';

const WORKSPACE_FILE = 'config/tacho.yaml';
const ENV_FILE = '.env';
const PATHS_VARIABLE = 'TACHO_CONFIG_PATHS';

export interface LoadConfigRequest {
  workspaceRoot: string;
  env: Readonly<Record<string, string | undefined>>;
  /** What was said for this one session; later ones win. */
  session?: SessionSettings | readonly SessionSettings[] | undefined;
}

export interface SessionSettings {
  /** Shown as the origin: `--timeout`. */
  name: string;
  /** Fields that are undefined are left alone. */
  settings: ConfigSettings;
}

/** The effective configuration, frozen, and where each field of it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** One per field, in the order of the schema. */
  readonly origins: readonly FieldOrigin[];
  /** Throws CONFIG_UNKNOWN_KEY when there is no such field. */
  origin(path: string): FieldOrigin;
}

/**
 * Embedded defaults < `config/tacho.yaml` < files in TACHO_CONFIG_PATHS < `.env` < environment < session settings.
 * Nothing but these files is read. Throws one CONFIG_… error that holds every problem found.
 */
export function loadConfig(request: LoadConfigRequest): LoadedConfig {
  const { workspaceRoot } = request;
  const problems: ConfigProblem[] = [];
  const envFile = readEnvFileVariables(join(workspaceRoot, ENV_FILE), ENV_FILE, problems);
  const environment = environmentVariables(request.env);
  const files: LayerFile[] = [
    { path: join(workspaceRoot, WORKSPACE_FILE), name: WORKSPACE_FILE },
    ...namedFiles(workspaceRoot, [...envFile, ...environment]),
  ];
  const layers: Layer[] = [
    ...files.map((file) => readFileLayer(file, problems)),
    readEnvironment(envFile, configFields, problems),
    readEnvironment(environment, configFields, problems),
    ...[request.session ?? []].flat().map((session) => sessionLayer(session, problems)),
  ];
  throwIfAny(problems);

  let resolved: ReadonlyMap<string, FieldOrigin> | null = null;
  const origins = () => (resolved ??= resolveOrigins(configFields, layers));
  return Object.freeze({
    config: resolveConfig(configFields, layers) as Config,
    // Few ask, and the answer needs the whole schema.
    get origins() {
      return Object.freeze([...origins().values()]);
    },
    origin: (path: string) => findOrigin(origins(), configFields, path),
  });
}

function environmentVariables(env: LoadConfigRequest['env']): Variable[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('TACHO_'))
    .map((name) => ({ name, text: env[name] ?? '', source: { kind: 'environment', name: printable(name) } }));
}

/** Relative paths start at the workspace, so that the result does not depend on the folder a command is called in. */
function namedFiles(workspaceRoot: string, variables: readonly Variable[]): LayerFile[] {
  const variable = variables.findLast(({ name, text }) => name === PATHS_VARIABLE && text.trim() !== '');
  if (variable === undefined) return [];
  return variable.text
    .split(/[,;]/)
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => ({ path: resolve(workspaceRoot, path), name: path, namedBy: variable.source }));
}

function sessionLayer(session: SessionSettings, problems: ConfigProblem[]): Layer {
  return readLayer(locate(session.settings, { kind: 'session', name: session.name }), configFields, problems);
}

/**
 * Reads the TACHO_ variables of a `.env` file. The rest belongs to other programs: their secrets are not kept, and their
 * lines are not checked.
 */
function readEnvFileVariables(path: string, name: string, problems: ConfigProblem[]): Variable[] {
  const content = readSmallFile(path);
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
    .filter((entry) => entry.name.startsWith('TACHO_'))
    .map((entry) => ({
      name: entry.name,
      text: entry.value,
      source: { kind: 'env_file', name, line: entry.line, col: entry.col },
    }));
}
