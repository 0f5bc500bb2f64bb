import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { type EngineProfile, listEngines } from '../../../src/engines/index.ts';
import type { RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { buildIsolatedEnv, managedFolders } from '../../../src/runs/launch/isolated-environment.ts';
import { enginePlaces, managedHome, planLaunch } from '../../../src/runs/launch/plan-launch.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../../../src/runs/request/attempt-order.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { installPackage } from '../../support/engine-package.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** A data folder in which every engine seems to be installed. */
function contextWith(env: NodeJS.ProcessEnv = {}): RunContext {
  const home = locateDataHome({}, temporaryFolder());
  for (const { name, command } of listEngines()) {
    const program = path.join(home.engines, name, 'node_modules/.bin', command);
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  }
  return { home, config: DEFAULTS, env, version: '0' };
}

/** Without our own agent, which has no model and no separate program. */
const RUNNABLE = listEngines().filter(({ own }) => own === undefined);
const plan = (
  engine: string,
  { session = null, ...wanted }: Partial<NewRun & Pick<AttemptOrder, 'session'>> = {},
  context = contextWith(),
) => {
  const request = settleRequest(parseRunRequest({ engine, prompt: 'fix it', ...wanted }), context);
  return planLaunch(request, { ...FIRST_ATTEMPT, session }, context);
};

describe('the launch of a plain command', () => {
  test('is only the command', () => {
    const { profile, program, argv, environment } = planLaunch(
      settleRequest(parseRunRequest({ command: ['make', 'test'] }), contextWith()),
      FIRST_ATTEMPT,
      contextWith(),
    );
    expect({ engine: profile.name, program, argv: argv('/w'), environment: environment('/w') }).toEqual({
      engine: 'text',
      program: null,
      argv: ['make', 'test'],
      environment: {},
    });
  });
});

describe.each(RUNNABLE.map((profile) => [profile.name, profile] as const))('the launch of %s', (name, profile) => {
  /** The other arguments of the engine, which a prompt must not resemble. */
  const nasty = '--help {model} {home} $& "two" \'words\'\n$(id)';

  test('starts its own program with the unchanged prompt', () => {
    const context = contextWith();
    const { argv, program } = plan(name, { prompt: nasty }, context);
    const [command, ...words] = argv('/workspace');
    expect(command).toBe(path.join(context.home.engines, name, 'node_modules/.bin', profile.command));
    expect(program).toMatchObject({ path: command, managed: true });
    expect(promptIn(profile, words)).toBe(nasty);
    expect(words.some((word) => word === '--help' || word === '{model}')).toBe(false);
  });

  test('continues a session under its own id', () => {
    const words = plan(name, { session: 'ses-{prompt}', prompt: nasty }).argv('/workspace');
    expect(words).toContain('ses-{prompt}');
    expect(promptIn(profile, words)).toBe(nasty);
  });

  test('passes the model and the caller’s arguments before the prompt', () => {
    const engine_args = ['--own', 'a b', '{prompt}'];
    const words = plan(name, { model: 'the-model', engine_args }).argv('/workspace');
    const at = words.indexOf('--own');
    expect(words.slice(at, at + 3)).toEqual(engine_args);
    expect(words.some((word) => word.includes('the-model'))).toBe(true);
  });

  test('refuses a prompt that is too long for an argument', () => {
    const limit = 128 * 1024 - 1;
    const longest = (length: number) =>
      Math.max(
        ...plan(name, { prompt: 'x'.repeat(length) })
          .argv('/w')
          .map(byteLength),
      );
    const beside = longest(1000) - 1000;
    expect(longest(limit - beside)).toBe(limit);
    expect(() => longest(limit - beside + 1)).toThrow(expect.objectContaining({ code: 'PROMPT_TOO_LONG' }));
  });

  test('passes a local model server, with a placeholder for a missing key', () => {
    const base_url = 'http://127.0.0.1:8080';
    const key = profile.placeholderKey!;
    const { argv, environment } = plan(name, { base_url });
    const set = environment('/workspace');
    const passed = [...argv('/workspace'), ...Object.values(set), ...filesOf(profile, base_url)];
    expect(passed.some((text) => text.includes(base_url))).toBe(true);
    expect(set[key]).toBe('local');
    expect(profile.environment.take).toContain(key);
    expect(plan(name, { base_url }, contextWith({ [key]: '' })).environment('/w')[key]).toBe('local');
    expect(plan(name, { base_url }, contextWith({ [key]: 'real' })).environment('/w')).not.toHaveProperty(key);
    expect(plan(name, {}).environment('/w')).not.toHaveProperty(key);
  });

  test('sets nothing that leads out of the managed home, and leaves no placeholder unexpanded', () => {
    const context = contextWith();
    const { environment, argv, values } = plan(name, { base_url: 'http://localhost', model: 'm' }, context);
    const set = environment('/workspace');
    const managed = managedFolders(context.home.managed, 'test.1');
    expect(managedHome(context)).toBe(managed.home);
    expect(values('/workspace').home).toBe(managed.home);
    expect(() => buildIsolatedEnv({ base: {}, managed, inherit: [], set, secretNames: [] })).not.toThrow();
    for (const text of [...argv('/workspace'), ...Object.values(set)]) {
      expect(text).not.toMatch(/\{(prompt|session|model|base_url|format|workspace|home)[|}]/);
    }
  });
});

describe('the version of an engine', () => {
  /** A data folder with one version of an engine. */
  function contextWithVersion(engine: string, version: string): RunContext {
    const home = locateDataHome({}, temporaryFolder());
    installPackage(path.join(home.engines, engine), { name: `fake-${engine}`, version }, engine);
    return { home, config: DEFAULTS, env: {}, version: '0' };
  }

  const flags = (engine: string, version: string, wanted: Parameters<typeof plan>[1] = {}) =>
    plan(engine, wanted, contextWithVersion(engine, version))
      .argv('/w')
      .filter((word) => /^--(auto|thinking|dangerously-skip-permissions|include-partial-messages)$/.test(word));

  test.each([
    ['opencode', '1.0.152', []],
    ['opencode', '1.3.0', ['--thinking']],
    ['opencode', '1.15.13', ['--thinking', '--dangerously-skip-permissions']],
    ['opencode', '1.17.18', ['--thinking', '--auto']],
    ['opencode', '2.0.0', ['--thinking', '--auto']],
    ['claude', '1.0.102', ['--dangerously-skip-permissions']],
    ['claude', '1.0.109', ['--include-partial-messages', '--dangerously-skip-permissions']],
  ])('%s %s gets the arguments that it knows', (engine, version, expected) => {
    expect(flags(engine, version)).toEqual(expected);
    expect(flags(engine, version, { session: 's-1' })).toEqual(expected);
  });

  test('opencode 1.0 gets every permission by its name, claude 1.0 an empty list of tools', () => {
    const filesFor = (engine: string, version: string) =>
      JSON.stringify(plan(engine, {}, contextWithVersion(engine, version)).profile.files);
    expect(filesFor('opencode', '1.0.152')).toContain('"external_directory":"allow"');
    expect(filesFor('opencode', '1.18.33')).not.toContain('external_directory');
    expect(filesFor('claude', '1.0.102')).toContain('"allowedTools":[]');
    expect(filesFor('claude', '2.0.0')).not.toContain('allowedTools');
  });

  test('decides which formats there are, and whether a session can be continued', () => {
    const gemini = (version: string, wanted = {}) => plan('gemini', wanted, contextWithVersion('gemini', version));
    expect(gemini('0.8.2').argv('/w')).toContain('json');
    expect(gemini('0.11.3').argv('/w')).toContain('stream-json');
    expect(() => gemini('0.8.2', { format: 'stream-json' })).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => gemini('0.12.0', { session: 's-1' })).toThrow(expect.objectContaining({ code: 'SESSION_UNKNOWN' }));
    expect(gemini('0.16.0', { session: 's-1' }).argv('/w')).toContain('s-1');
  });

  test.each([
    ['opencode', '0.5.29'],
    ['gemini', '0.5.5'],
    ['qwen', '0.1.4'],
  ])('%s %s is refused, since it prints no JSON', (engine, version) => {
    expect(() => plan(engine, {}, contextWithVersion(engine, version))).toThrow(
      expect.objectContaining({
        code: 'ENGINE_UNSUPPORTED',
        message: expect.stringContaining(`${version} cannot print JSON, which tacho reads`),
        fix: expect.stringContaining(`tacho engines install ${engine}`),
      }),
    );
  });
});

describe('planLaunch refuses', () => {
  test('an unknown engine', () => {
    expect(() => plan('nothing')).toThrow(expect.objectContaining({ code: 'UNKNOWN_ENGINE' }));
  });

  test('an empty prompt, before it looks for a program', () => {
    const context = { ...contextWith(), home: locateDataHome({}, temporaryFolder()) };
    expect(() => plan('codex', { prompt: ' ' }, context)).toThrow(expect.objectContaining({ code: 'PROMPT_INVALID' }));
    expect(() => plan('codex', {}, context)).toThrow(expect.objectContaining({ code: 'ENGINE_NOT_INSTALLED' }));
  });

  test('a format the engine does not have', () => {
    expect(() => plan('gemini', { format: 'xml' })).toThrow(
      expect.objectContaining({ code: 'USAGE', facts: { engine: 'gemini', formats: ['stream-json', 'json'] } }),
    );
    expect(() => plan('codex', { format: 'json' })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('the format of the output', () => {
  test.each([
    [undefined, 'stream-json'],
    ['json', 'json'],
  ])('requested as %j is %s', (format, expected) => {
    const words = plan('gemini', { format }).argv('/w');
    expect(words[words.indexOf('--output-format') + 1]).toBe(expected);
  });
});

describe('enginePlaces', () => {
  test('are the folder of the data home and the caller’s PATH, unless the configuration names a folder', () => {
    const context = contextWith({ PATH: '/bin' });
    expect(enginePlaces(context)).toEqual({ enginesFolder: context.home.engines, searchPath: '/bin' });
    const config = { ...DEFAULTS, engines: { ...DEFAULTS.engines, folder: 'here' } };
    expect(enginePlaces({ ...context, config, env: {} })).toEqual({
      enginesFolder: path.resolve('here'),
      searchPath: '',
    });
  });
});

/** The prompt as the engine reads it from its arguments. */
function promptIn(profile: EngineProfile, words: readonly string[]): string {
  const template = profile.start.flatMap((word) =>
    typeof word === 'string' ? [word] : 'words' in word ? word.words : [],
  );
  const [before, after] = template.find((word) => word.includes('{prompt}'))!.split('{prompt}') as [string, string];
  // As a separate argument it is found by its unique text.
  if (before === '' && after === '') return words.find((word) => word.includes('$&')) ?? '';
  const cut = profile.start.find((word) => typeof word === 'object' && 'cutAt' in word) as
    | { cutAt: string }
    | undefined;
  return words
    .filter((word) => word.startsWith(before) && word.endsWith(after) && word.length >= before.length + after.length)
    .map((word) => word.slice(before.length, word.length - after.length))
    .join(cut?.cutAt ?? '');
}

/** Values that the engine reads from files instead, as in the template. */
function filesOf(profile: EngineProfile, base_url: string): string[] {
  return profile.files.map(({ content }) => JSON.stringify(content).replaceAll('{base_url}', base_url));
}

function byteLength(word: string): number {
  return Buffer.byteLength(word);
}
