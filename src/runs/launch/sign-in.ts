import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEFAULTS } from '../../config/index.ts';
import type { EngineProfile } from '../../engines/index.ts';
import { readRegularFile } from '../../files/index.ts';
import { type SettledRequest, type SignInFacts, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { isBinary } from './engine-package.ts';
import type { EngineProgram } from './engine-program.ts';
import { inherited } from './isolated-environment.ts';
import { managedHome } from './plan-launch.ts';

/** Where the signs of a sign-in are looked for. */
export interface SignInPlaces {
  env: Readonly<Record<string, string | undefined>>;
  managedHome: string;
  workspace: string | null;
  /** The user's own home, whose credentials can be copied. */
  ownHome?: string;
}

/** Whether an engine is signed in, and how tacho knows. Keys are not looked at, only whether there are any. */
export function signInFacts(profile: EngineProfile, places: SignInPlaces): SignInFacts {
  const { signIn, credentialFiles, environment } = profile;
  if (signIn === null) return { state: 'not_needed' };
  const { env, managedHome, workspace, ownHome = os.homedir() } = places;
  const variable = signIn.variables.find((name) => env[name] || environment.set[name]);
  if (variable !== undefined) return { state: 'yes', by: 'variable', name: variable };
  const file = signIn.files.find((name) => isThere(managedHome, name));
  if (file !== undefined) return { state: 'yes', by: 'managed_home', name: file };
  const folders = [managedHome, ...projectFolders(workspace, signIn.settingsInAnyFolder ? null : ownHome)];
  const settings = signIn.settings.find((name) => folders.some((folder) => isThere(folder, name)));
  if (settings !== undefined) return { state: 'unknown', by: 'settings', name: settings };
  if (isSetOtherwise(signIn.unlessSet, managedHome)) {
    return { state: 'unknown', by: 'settings', name: signIn.unlessSet!.file };
  }
  const own = ownHome === managedHome ? undefined : credentialFiles.find((name) => isThere(ownHome, name));
  return {
    state: signIn.required ? 'no' : 'unknown',
    ...(own === undefined ? {} : { own_home: own }),
  };
}

/**
 * Refuses an engine that cannot work because nothing signs it in. Only if that is certain: a model server, arguments,
 * variables that the user chose, settings or a wrapper around the program may all be another way.
 */
export function requireSignIn(
  request: SettledRequest,
  { profile, program }: { profile: EngineProfile; program: EngineProgram | null },
  context: RunContext,
): void {
  const { base_url, auth_from_home, engine_args, env, files = [] } = request;
  if (program === null || !profile.signIn?.required) return;
  if (base_url !== undefined || auth_from_home || engine_args.length > 0) return;
  if (hasChosenVariable(env, profile) || !isEngineItself(profile, program)) return;
  const { settings } = profile.signIn;
  if (files.some(({ path: name }) => settings.includes(path.normalize(name)))) return;
  // Without a folder to work in, it works below that of all runs.
  const workspace = request.cwd ?? context.home.runs;
  const facts = signInFacts(profile, { env, managedHome: managedHome(context), workspace });
  if (facts.state !== 'no') return;
  throw new TachoError('CREDENTIALS_MISSING', `${profile.title} is not signed in`, {
    facts: { engine: profile.name, variables: profile.signIn.variables, files: profile.signIn.files },
    fix: howToSignIn(profile, facts),
  });
}

/** The commands that sign an engine in, the simplest first. */
export function howToSignIn({ name, signIn }: EngineProfile, { own_home }: SignInFacts): string {
  const ways = [
    ...(own_home === undefined ? [] : [`copy your own sign-in: tacho engines login ${name} --from-home`]),
    ...(signIn?.login ? [`sign in: tacho engines login ${name}`] : []),
    ...(signIn?.variables[0] === undefined ? [] : [`set ${signIn.variables[0]}`]),
  ];
  const text = ways.join('; or ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Whether it gets a variable that names a server, or any that engines do not get by default. */
function hasChosenVariable(env: Record<string, string>, { environment }: EngineProfile): boolean {
  const usual = inherited({ base: env, inherit: ['PATH', ...DEFAULTS.environment.inherit, ...environment.take] });
  return Object.keys(env).some((name) => !(name in usual) || name.endsWith('_BASE_URL'));
}

/** Whether the program is the engine, as opposed to a script of the same name, which may sign in by itself. */
function isEngineItself(
  { install, definition }: EngineProfile,
  { path: file, before, package: name }: EngineProgram,
): boolean {
  if (definition?.sign_in !== undefined || (install !== null && name === install.package)) return true;
  return before.length === 0 && isBinary(file);
}

/** An absolute name is the same file for every folder. */
function isThere(folder: string, name: string): boolean {
  try {
    return fs.statSync(path.resolve(folder, name)).isFile();
  } catch {
    return false; // Missing, or not accessible for the engine either.
  }
}

/** The workspace and the folders above it, where engines look for settings; without a home that is not a project. */
function projectFolders(workspace: string | null, ownHome: string | null): string[] {
  if (workspace === null) return [];
  const folders = [workspace];
  for (let folder = workspace; folder !== path.dirname(folder); ) {
    folder = path.dirname(folder);
    if (folder !== ownHome || fs.existsSync(path.join(folder, '.git'))) folders.push(folder);
  }
  return folders;
}

function isSetOtherwise(check: NonNullable<EngineProfile['signIn']>['unlessSet'], managedHome: string): boolean {
  if (check === undefined) return false;
  try {
    const content: unknown = JSON.parse(readRegularFile(path.join(managedHome, check.file)));
    const value = check.keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], content);
    return value !== undefined && value !== check.usual;
  } catch {
    return false; // Missing, or nothing that the engine can read.
  }
}
