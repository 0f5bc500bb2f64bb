import { loadConfig } from '../../config/index.ts';
import type { EngineProfile } from '../../engines/index.ts';
import {
  type EngineDefinition,
  type RunRequest,
  runRequestSchema,
  type SettledRequest,
  TachoError,
} from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { HOME_VARIABLES, inherited } from '../launch/isolated-environment.ts';
import { engineOfRequest } from '../launch/known-engines.ts';
import { keySettings, keysForEngine, keyValues } from './env-file-keys.ts';
import { plainRequest } from './plain-request.ts';
import { requestSettings } from './request-settings.ts';

/** The engine's name in records and events: what the output is read as. A plain command uses the `text` parser. */
export function engineNameOf({ engine, parse_as }: Pick<RunRequest, 'engine' | 'parse_as'>): string {
  return engine ?? parse_as ?? 'text';
}

/** Validates a request, as the HTTP server does with its bodies. */
export function parseRunRequest(value: unknown): RunRequest {
  const plain = plainRequest(value);
  if (plain) return plain;
  const parsed = runRequestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const choice = issue?.code === 'invalid_value' ? issue.values.map(String) : null;
  const message = choice
    ? `${field} cannot be ${givenAt(value, issue!.path)}`
    : [field, issue?.message].filter(Boolean).join(': ');
  throw new TachoError('INVALID_REQUEST', message, {
    facts: { field, issues: parsed.error.issues.length },
    fix: choice ? `Use ${inWords(choice)}.` : (REMEDIES[field] ?? 'See: tacho run --help'),
  });
}

function givenAt(value: unknown, path: readonly PropertyKey[]): string {
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], value);
  return JSON.stringify(given) ?? 'left out';
}

/** `a, b or c` */
function inWords(choice: readonly string[]): string {
  const last = choice.at(-1)!;
  return choice.length > 1 ? `${choice.slice(0, -1).join(', ')} or ${last}` : last;
}

/** Fixes for fields that users type. */
const REMEDIES: Readonly<Record<string, string>> = {
  model: 'Example: --model gpt-5.5',
  base_url: 'Example: --base-url http://127.0.0.1:8099',
};

/** The context for a request: with the configuration of its workspace, in any accepting process. */
export function inWorkspace({ cwd }: Pick<RunRequest, 'cwd'>, context: RunContext): RunContext {
  if (cwd === undefined) return context;
  const { env, home } = context;
  const { config, settings, envFileKeys } = loadConfig({ workspaceRoot: cwd, env, dataFolder: home.root });
  return { ...context, config, settings, envFileKeys };
}

/**
 * Fills in omitted fields from the configuration and the environment of the accepting process. A settled request does
 * not change, so it means the same to every process that gets it.
 */
export function settleRequest(
  request: RunRequest,
  { config, env, settings, envFileKeys = [] }: Pick<RunContext, 'config' | 'env' | 'settings' | 'envFileKeys'>,
  from: 'command_line' | 'request' = 'request',
): SettledRequest {
  const { recording, terminal, limits, environment, engines } = config;
  const readAs = engineOfRequest(request, { config, settings: settings ?? [] });
  const profile = request.engine === undefined ? null : readAs;
  const definition = readAs?.definition;
  const noProgressMs = limits.no_progress_timeout_ms ?? (profile ? engines.no_progress_timeout_ms : null);
  const asked = { ...request, ...(profile === null ? {} : modelOf(request, definition)) };
  const named = profile?.environment.takesConfiguredKeys ? keyVariables(config) : [];
  const variables = { ...takenFrom(env, asked, environment, { profile, named }), ...request.env };
  // The keys of the server's own folder are not for runs elsewhere.
  const inFolder = from === 'command_line' || request.cwd !== undefined;
  const keys = keysForEngine(profile, inFolder ? envFileKeys : [], variables);
  return {
    ...asked,
    ...(request.settings || !settings
      ? {}
      : { settings: [...requestSettings(request, settings, from), ...keySettings(keys)] }),
    ...(definition === undefined ? {} : { definition: structuredClone(definition) as RunRequest['definition'] }),
    env: { ...keyValues(keys), ...variables },
    pass_env: [],
    inherit_env: false,
    capture: request.capture ?? recording.capture,
    capture_reason: request.capture_reason ?? (request.capture ? 'asked for' : 'configuration'),
    term: request.term ?? terminal.term,
    cols: request.cols ?? terminal.cols,
    rows: request.rows ?? terminal.rows,
    recording: {
      level: recording.level,
      // By whatever name, a key is a secret.
      secret_names: [...new Set([...environment.secret_names, ...named])],
      ignore: [...recording.ignore],
      gitignore: recording.gitignore,
      snapshot_entries: recording.snapshot_entries,
      snapshot_ms: recording.snapshot_ms,
      blob_max_bytes: recording.blob_max_bytes,
      checkpoint_bytes: recording.checkpoint_bytes,
      checkpoint_ms: recording.checkpoint_ms,
      conversation: request.parse_as !== undefined,
      ...present(request.recording),
    },
    limits: {
      timeout_ms: limits.timeout_ms,
      no_progress_timeout_ms: noProgressMs,
      kill_grace_ms: limits.kill_grace_ms,
      linger_ms: limits.linger_ms,
      disk_floor_bytes: limits.disk_floor_bytes,
      ...present(request.limits),
    },
  };
}

/** The model and its server: those of the request, or else those of the engine's definition. */
function modelOf(request: RunRequest, definition: EngineDefinition | undefined): { model?: string; base_url?: string } {
  const model = request.model ?? definition?.model;
  const baseUrl = request.base_url ?? definition?.base_url;
  return {
    ...(model === undefined ? {} : { model }),
    // Engines append their own paths.
    ...(baseUrl === undefined ? {} : { base_url: baseUrl.replace(/\/+$/, '') }),
  };
}

/** Variables of the accepting process for the program, including PATH. */
function takenFrom(
  base: NodeJS.ProcessEnv,
  { environment, inherit_env, pass_env, base_url }: RunRequest,
  { inherit, pass }: RunContext['config']['environment'],
  { profile, named: keys }: { profile: EngineProfile | null; named: readonly string[] },
): Record<string, string> {
  // The program gets all of them when it starts; the request contains none.
  if (environment === 'inherited') return {};
  const named = inherited({ base, inherit: pass_env });
  if (!inherit_env) return named;
  const wanted = ['PATH', ...inherit, ...pass, ...(profile?.environment.take ?? []), ...keys];
  const taken = inherited({ base, inherit: wanted });
  const setElsewhere = [
    'TERM',
    ...HOME_VARIABLES,
    ...Object.keys(profile?.environment.set ?? {}),
    ...Object.keys((base_url !== undefined && profile?.environment.withBaseUrl) || {}),
  ];
  for (const name of setElsewhere) delete taken[name];
  return { ...taken, ...named };
}

/** Variables that hold the keys of model services and MCP servers, by the configuration. */
function keyVariables({ llm, mcp }: RunContext['config']): string[] {
  const tokens = Object.values(mcp.servers).flatMap(({ token_env }) => token_env ?? []);
  return [...new Set([llm.api_key_env, ...tokens])].filter((name) => name !== '');
}

function present<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
