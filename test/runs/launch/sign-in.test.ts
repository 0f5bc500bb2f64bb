import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { type EngineProfile, findEngine, listEngines } from '../../../src/engines/index.ts';
import type { TachoError } from '../../../src/protocol/index.ts';
import type { RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import type { EngineProgram } from '../../../src/runs/launch/engine-program.ts';
import { requireSignIn, signInFacts } from '../../../src/runs/launch/sign-in.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const codex = findEngine('codex')!;
const REQUIRED = listEngines().filter(({ signIn }) => signIn?.required);

function place(...parts: string[]): void {
  const file = path.join(...parts);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '{}');
}

function places() {
  const [managedHome, ownHome, workspace] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  return { env: {} as Record<string, string>, managedHome, ownHome, workspace };
}

describe.each(REQUIRED.map((profile) => [profile.name, profile] as const))('the sign-in of %s', (_, profile) => {
  const { variables, files, settings } = profile.signIn!;

  test('is missing in an empty home', () => {
    expect(signInFacts(profile, places())).toEqual({ state: 'no' });
  });

  test.each(variables)('is the variable %s, if it is set', (name) => {
    expect(profile.environment.take).toContain(name);
    expect(signInFacts(profile, { ...places(), env: { [name]: '' } }).state).toBe('no');
    expect(signInFacts(profile, { ...places(), env: { [name]: 'x' } })).toEqual({ state: 'yes', by: 'variable', name });
  });

  test.each(files)('is the file %s in the managed home', (name) => {
    const where = places();
    expect(profile.credentialFiles).toContain(name);
    place(where.ownHome, name);
    expect(signInFacts(profile, where)).toEqual({ state: 'no', own_home: name });
    place(where.managedHome, name);
    expect(signInFacts(profile, where)).toEqual({ state: 'yes', by: 'managed_home', name });
  });

  test.each(settings.filter((name) => !name.startsWith('/')))('may be in the settings %s', (name) => {
    const home = places();
    place(home.managedHome, name);
    expect(signInFacts(profile, home)).toEqual({ state: 'unknown', by: 'settings', name });
    const project = places();
    place(project.workspace, name);
    expect(signInFacts(profile, { ...project, workspace: path.join(project.workspace, 'a/b') }).state).toBe('unknown');
  });
});

describe('settings in the user’s own home', () => {
  const stateOf = (engine: string, name: string, below = 'project', more: readonly string[] = []) => {
    const { managedHome, ownHome, env } = places();
    for (const file of [name, ...more]) place(ownHome, file);
    return signInFacts(findEngine(engine)!, { env, managedHome, ownHome, workspace: path.join(ownHome, below) }).state;
  };

  test('say nothing about an engine that has a home of its own', () => {
    expect(stateOf('codex', '.codex/config.toml')).toBe('no');
    expect(stateOf('claude', '.claude/settings.json')).toBe('no');
  });

  test('count if the home is the project, or if the engine reads files above the workspace', () => {
    expect(stateOf('codex', '.codex/config.toml', '')).toBe('unknown');
    expect(stateOf('codex', '.codex/config.toml', 'project', ['.git/HEAD'])).toBe('unknown');
    expect(stateOf('gemini', '.env')).toBe('unknown');
  });
});

test('a file that cannot be looked at does not count', () => {
  const where = places();
  fs.mkdirSync(path.join(where.managedHome, '.codex'));
  for (const name of ['auth.json', 'config.toml']) fs.symlinkSync(name, path.join(where.managedHome, '.codex', name));
  expect(signInFacts(codex, where)).toEqual({ state: 'no' });
});

test('gemini with another way to sign in than by a key may be signed in', () => {
  const gemini = findEngine('gemini')!;
  const where = places();
  const write = (selectedType: string) => {
    place(where.managedHome, '.gemini/settings.json');
    const content = { security: { auth: { selectedType } } };
    fs.writeFileSync(path.join(where.managedHome, '.gemini/settings.json'), JSON.stringify(content));
  };
  write('gemini-api-key');
  expect(signInFacts(gemini, where).state).toBe('no');
  write('vertex-ai');
  expect(signInFacts(gemini, where)).toMatchObject({ state: 'unknown', by: 'settings' });
});

test('claude with the key of a Console account may be signed in', () => {
  const where = places();
  const file = path.join(where.managedHome, '.claude.json');
  fs.writeFileSync(file, '{"projects":{}}');
  expect(signInFacts(findEngine('claude')!, where).state).toBe('no');
  fs.writeFileSync(file, '{"projects":{},"primaryApiKey":"sk-1234567"}');
  expect(signInFacts(findEngine('claude')!, where)).toEqual({ state: 'unknown', by: 'settings', name: '.claude.json' });
});

test('engines that work without an account, or in ways of their own, are never called signed out', () => {
  const states = listEngines().map((profile) => [profile.name, signInFacts(profile, places()).state]);
  expect(Object.fromEntries(states)).toMatchObject({
    opencode: 'unknown',
    qwen: 'unknown',
    pi: 'unknown',
    demo: 'not_needed',
  });
});

describe('a run of an engine that is not signed in', () => {
  const REAL: EngineProgram = {
    path: '/bin/true',
    before: [],
    managed: true,
    package: '@openai/codex',
    version: '0.166.0',
    needsNode: null,
  };

  function check(wanted: Partial<NewRun> = {}, how: { profile?: EngineProfile; program?: EngineProgram } = {}) {
    const home = locateDataHome({}, temporaryFolder());
    const context: RunContext = { home, config: DEFAULTS, env: {}, version: '0' };
    const request = settleRequest(parseRunRequest({ engine: 'codex', prompt: 'fix it', ...wanted }), context);
    return requireSignIn(request, { profile: codex, program: REAL, ...how }, context);
  }

  test('is refused before it starts, with the ways to sign in', () => {
    try {
      check();
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'CREDENTIALS_MISSING', message: 'Codex CLI is not signed in' });
      expect((error as TachoError).fix).toMatch(/tacho engines login codex.*CODEX_API_KEY/);
    }
  });

  test.each<[string, Partial<NewRun>]>([
    ['a model server', { base_url: 'http://127.0.0.1:9' }],
    ['its key', { env: { CODEX_API_KEY: 'sk-1234567' } }],
    ['a key of another name', { env: { AZURE_API_KEY: 'x' } }],
    ['a variable that may choose another account', { env: { CODEX_ACCOUNT: 'work' } }],
    ['a variable that names a model server', { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9' } }],
    ['settings among its files', { files: [{ path: '.codex/config.toml', text: 'x' }] }],
    ['arguments of its own', { engine_args: ['--oss'] }],
    ['the credentials of the user', { auth_from_home: true }],
  ])('is not refused with %s', (_, wanted) => {
    expect(() => check(wanted)).not.toThrow();
  });

  test('is not refused if a script of its name may sign in by itself', () => {
    const script = path.join(temporaryFolder(), 'codex');
    fs.writeFileSync(script, '#!/bin/sh\nexec codex-real "$@"\n', { mode: 0o755 });
    expect(() => check({}, { program: { ...REAL, path: script, managed: false, package: null } })).not.toThrow();
    expect(() => check({}, { program: { ...REAL, path: process.execPath, managed: false, package: null } })).toThrow(
      expect.objectContaining({ code: 'CREDENTIALS_MISSING' }),
    );
  });
});
