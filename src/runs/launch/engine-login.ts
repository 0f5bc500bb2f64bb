import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import type { EngineProfile } from '../../engines/index.ts';
import { type SignInFacts, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { copyCredentials, makeEngineFolders } from './engine-home.ts';
import { requireEngineProgram } from './engine-program.ts';
import { buildIsolatedEnv, managedFolders } from './isolated-environment.ts';
import { renderText, valuesWithoutPrompt } from './launch-template.ts';
import { enginePlaces } from './plan-launch.ts';
import { signInFacts } from './sign-in.ts';

/** What a program needs to open a browser, and to know that there is none. */
const DESKTOP = [
  'BROWSER',
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'SSH_CONNECTION',
  'SSH_TTY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
];

/**
 * Runs the engine's own sign-in with the managed home, on the terminal of this process. Resolves to how it is signed in
 * then; rejects with SIGN_IN_FAILED if the program failed or left nothing.
 */
export async function loginEngine(
  profile: EngineProfile,
  words: readonly string[],
  context: RunContext,
): Promise<SignInFacts> {
  const program = requireEngineProgram(profile, { ...enginePlaces(context), workspace: process.cwd() });
  prepareDataHome(context.home);
  const managed = managedFolders(context.home.managed, `login.${process.pid}`);
  const { config, env: base } = context;
  try {
    const values = valuesWithoutPrompt({ workspace: managed.home, home: managed.home });
    const set = Object.entries(profile.environment.set).map(([name, value]) => [name, renderText(value, values)]);
    const inherit = ['PATH', ...config.environment.inherit, ...config.environment.pass, ...DESKTOP];
    const { env } = buildIsolatedEnv({ base, managed, inherit, set: Object.fromEntries(set), secretNames: [] });
    makeEngineFolders(profile, managed.home);
    const argv = [program.path, ...program.before, ...words];
    const exit = await runHere(argv, { env, cwd: managed.home });
    const facts = signInFacts(profile, { env: {}, managedHome: managed.home, workspace: null });
    // Settings may hold a sign-in that tacho does not know.
    if (exit === 'exit code 0' && facts.by !== undefined) return facts;
    throw failed(profile, argv, exit);
  } finally {
    fs.rmSync(managed.temporary, { recursive: true, force: true });
  }
}

/** Copies the user's own sign-in into the managed home; returns the names of the files. */
export function copyOwnSignIn(profile: EngineProfile, context: RunContext, ownHome = os.homedir()): string[] {
  prepareDataHome(context.home);
  const { home } = managedFolders(context.home.managed, 'login');
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  return copyCredentials(profile, home, ownHome);
}

/** The program shares the terminal, and Ctrl-C is for it. */
async function runHere(
  [program = '', ...words]: readonly string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<string> {
  const leaveToProgram = () => {};
  process.on('SIGINT', leaveToProgram);
  try {
    const child = spawn(program, words, { env, cwd, stdio: 'inherit' });
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    });
  } catch (cause) {
    throw new TachoError('SIGN_IN_FAILED', `${program} could not be started: ${(cause as Error).message}`, { cause });
  } finally {
    process.off('SIGINT', leaveToProgram);
  }
}

function failed({ name, title, signIn }: EngineProfile, argv: readonly string[], exit: string): TachoError {
  const isClean = exit === 'exit code 0';
  const why = isClean ? 'left no credentials in the managed home' : `ended with ${exit}`;
  const variable = signIn?.variables[0];
  const printed = variable === undefined ? '' : ` If it printed a key or token, pass it as ${variable}.`;
  return new TachoError('SIGN_IN_FAILED', `${title} is not signed in: its sign-in ${why}`, {
    facts: { engine: name, argv, exit },
    fix: `Try again: tacho engines login ${name}.${printed}`,
  });
}
