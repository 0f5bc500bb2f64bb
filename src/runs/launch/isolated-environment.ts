import fs from 'node:fs';
import path from 'node:path';
import { nameMatcher } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { MARKER_VARIABLE } from '../../terminal/index.ts';

/** Folders that a recorded program may use as its home. They belong to tacho, never to the user. */
export interface ManagedFolders {
  prefix: string;
  home: string;
  config: string;
  state: string;
  data: string;
  cache: string;
  bin: string;
  /** One per attempt. */
  temporary: string;
}

export interface EnvironmentRequest {
  /** The caller's own environment; only listed names are used. */
  base: NodeJS.ProcessEnv;
  managed: ManagedFolders;
  /** Names, or patterns with `*`, taken from the base. */
  inherit: readonly string[];
  /** Values set for this run. */
  set: Readonly<Record<string, string>>;
  /** Patterns of names whose values must not appear in an event. */
  secretNames: readonly string[];
}

/** The environment of a program, as it is started and as it may be recorded. */
export interface ProgramEnvironment {
  env: Record<string, string>;
  /** The only part that is recorded. */
  names: string[];
  secrets: { name: string; value: string }[];
}

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6;
/** Variables in which programs look for a home; all of them point to tacho's folders. */
export const HOME_VARIABLES = [
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'TMPDIR',
];
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function managedFolders(prefix: string, attemptName: string): ManagedFolders {
  const at = (name: string) => path.join(prefix, name);
  return {
    prefix,
    home: at('home'),
    config: at('home/.config'),
    state: at('home/.local/state'),
    data: at('home/.local/share'),
    cache: at('home/.cache'),
    bin: at('bin'),
    temporary: at(`tmp/${attemptName}`),
  };
}

/** Built from scratch: only the variables listed here reach the program. */
export function buildIsolatedEnv(request: EnvironmentRequest): ProgramEnvironment {
  const env = isolatedVariables(request);
  const { prefix, ...folders } = request.managed;
  refuseEscape(env, prefix, (folder) => folder);
  for (const folder of [prefix, ...Object.values(folders)]) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Checked again with real paths: runs share a home, and one of them may have put a link in its place.
  refuseEscape(env, fs.realpathSync(prefix), realPath);
  return { env, names: [...Object.keys(env), MARKER_VARIABLE].sort(), secrets: findSecrets(env, request.secretNames) };
}

/** Rejects variables that point outside of the managed home, before any folder is created. */
export function checkHomes(env: Record<string, string>, { prefix }: ManagedFolders): void {
  refuseEscape(env, prefix, (folder) => folder);
}

/** All variables of the program, except those known only when it starts. */
export function isolatedVariables(request: EnvironmentRequest): Record<string, string> {
  const { managed } = request;
  const env = inherited(request);
  env.PATH = `${managed.bin}:${request.base.PATH || SYSTEM_PATH}`;
  env.HOME = managed.home;
  env.XDG_CONFIG_HOME = managed.config;
  env.XDG_STATE_HOME = managed.state;
  env.XDG_DATA_HOME = managed.data;
  env.XDG_CACHE_HOME = managed.cache;
  env.TMPDIR = managed.temporary;
  return Object.assign(env, request.set);
}

/** Returns a function that blanks the values of the program's secrets in recorded texts. */
export function secretHider(request: Omit<EnvironmentRequest, 'managed'>): (text: string) => string {
  return hiderOf(findSecrets({ ...inherited(request), ...request.set }, request.secretNames));
}

/** Blanks these values anywhere in a text. */
export function hiderOf(known: readonly { value: string }[]): (text: string) => string {
  // Longer values first: if one value begins with another, the rest of the longer one would remain.
  const secrets = [...known].sort((one, other) => other.value.length - one.value.length);
  return (text) => secrets.reduce((masked, { value }) => masked.replaceAll(value, '*'.repeat(value.length)), text);
}

export function inherited({ base, inherit }: Pick<EnvironmentRequest, 'base' | 'inherit'>): Record<string, string> {
  const env: Record<string, string> = {};
  const isListed = nameMatcher(inherit);
  for (const [name, value] of Object.entries(base)) if (value !== undefined && isListed(name)) env[name] = value;
  return env;
}

function refuseEscape(env: Record<string, string>, prefix: string, resolve: (folder: string) => string): void {
  for (const name of HOME_VARIABLES) {
    const value = resolve(env[name]!);
    const relative = path.relative(prefix, value);
    if (path.isAbsolute(value) && relative !== '..' && !relative.startsWith('../')) continue;
    throw new TachoError('ISOLATION_BROKEN', `${name} would be ${value}, outside ${prefix}`, {
      facts: { name, prefix },
      fix: `Leave ${name} out. A plain tacho run without --isolate uses your own home.`,
    });
  }
}

/** A missing folder keeps the name that the caller gave: there is nothing to resolve. */
export function realPath(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The values that must not appear in an event, by the patterns of names. */
export function findSecrets(
  env: Record<string, string>,
  patterns: readonly string[],
): { name: string; value: string }[] {
  const isSecret = nameMatcher(patterns);
  return Object.entries(env)
    .filter(([name, value]) => value.length >= MIN_SECRET_LENGTH && isSecret(name))
    .map(([name, value]) => ({ name, value }));
}
