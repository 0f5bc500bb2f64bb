import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildIsolatedEnv,
  type EnvironmentRequest,
  managedFolders,
  secretHider,
} from '../../../src/runs/launch/isolated-environment.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const prefixFolder = () => path.join(temporaryFolder(), 'env');

function build(request: Partial<EnvironmentRequest> = {}) {
  const managed = managedFolders(prefixFolder(), 'abcd1234.1');
  const result = buildIsolatedEnv({ base: {}, managed, inherit: [], set: {}, secretNames: [], ...request });
  return { ...result, managed };
}

const OWN = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'TMPDIR'];

describe('the environment of a recorded program', () => {
  test('has only the listed variables of the caller', () => {
    const base = {
      LANG: 'C',
      LC_ALL: 'C',
      LC_TIME: 'C',
      LCX: 'no',
      SECRET: 'no',
      CODEX_HOME: '/no',
      ZDOTDIR: '/no',
      HOME: '/root',
      PATH: '/bin',
    };
    const { env } = build({ base, inherit: ['LANG', 'LC_*', 'MISSING'] });
    expect(Object.keys(env).sort()).toEqual([...OWN, 'LANG', 'LC_ALL', 'LC_TIME'].sort());
  });

  test('has its own homes and temporary folder, which exist and are private', () => {
    const { env, managed } = build({ base: { HOME: '/root', TMPDIR: '/tmp' }, inherit: ['*'] });
    for (const name of OWN.slice(1)) {
      expect(env[name]!.startsWith(`${managed.prefix}/`), name).toBe(true);
      expect(fs.statSync(env[name]!).mode & 0o777).toBe(0o700);
    }
    expect(env.HOME).toBe(managed.home);
  });

  test('has the managed programs first on its PATH', () => {
    const { env, managed } = build({ base: { PATH: '/usr/bin:/bin' } });
    expect(env.PATH).toBe(`${managed.bin}:/usr/bin:/bin`);
    expect(build().env.PATH).toMatch(/^\S+\/bin:\/usr\/local\/sbin:.*\/bin$/);
  });

  test('prefers variables that the run sets over inherited ones', () => {
    const { env } = build({
      base: { A: 'inherited', B: 'inherited' },
      inherit: ['A', 'B'],
      set: { B: 'set', C: 'set' },
    });
    expect(env).toMatchObject({ A: 'inherited', B: 'set', C: 'set' });
  });

  test('is recorded by its names only', () => {
    const { names } = build({ base: { A: 'value-of-a' }, inherit: ['A'], set: { MY_TOKEN: 'value-of-token' } });
    expect(names).toEqual([...OWN, 'A', 'MY_TOKEN', 'TACHO_MARKER'].sort());
  });

  test.each(['*', 'A*', '*Z', 'A*Z', 'A*M*Z', 'AMZ'])('selects names by the pattern %s', (pattern) => {
    const { env } = build({ base: { AMZ: '1', 'A.Z': '2', BMZ: '3', AMY: '4' }, inherit: [pattern] });
    const taken = ['AMZ', 'A.Z', 'BMZ', 'AMY'].filter((name) => name in env);
    const expected = {
      '*': ['AMZ', 'A.Z', 'BMZ', 'AMY'],
      'A*': ['AMZ', 'A.Z', 'AMY'],
      '*Z': ['AMZ', 'A.Z', 'BMZ'],
      'A*Z': ['AMZ', 'A.Z'],
      'A*M*Z': ['AMZ'],
      AMZ: ['AMZ'],
    };
    expect(taken).toEqual(expected[pattern as keyof typeof expected]);
  });

  test('treats other characters of a pattern literally', () => {
    expect(build({ base: { AXB: '1', 'A.B': '2' }, inherit: ['A.B', 'A.*'] }).env).not.toHaveProperty('AXB');
  });

  test.each(OWN.slice(1))('is refused if %s leads outside', (name) => {
    for (const value of ['/root', '/', 'relative', '', '../..']) {
      expect(() => build({ set: { [name]: value } })).toThrow(
        expect.objectContaining({ code: 'ISOLATION_BROKEN', facts: expect.objectContaining({ name }) }),
      );
    }
    const managed = managedFolders(prefixFolder(), 'x');
    const request = (value: string) => ({ base: {}, managed, inherit: [], set: { [name]: value }, secretNames: [] });
    expect(() => buildIsolatedEnv(request(`${managed.prefix}/../outside`))).toThrow(/outside/);
    expect(() => buildIsolatedEnv(request(`${managed.prefix}-other`))).toThrow(/outside/);
    expect(buildIsolatedEnv(request(`${managed.prefix}/elsewhere`)).env[name]).toBe(`${managed.prefix}/elsewhere`);
  });

  test('is refused before any folder is created', () => {
    const managed = managedFolders(prefixFolder(), 'x');
    expect(() =>
      buildIsolatedEnv({ base: {}, managed, inherit: [], set: { HOME: '/root' }, secretNames: [] }),
    ).toThrow();
    expect(fs.existsSync(managed.prefix)).toBe(false);
  });

  test('finds secrets by the names of variables, unless the values are too short to mask', () => {
    const { secrets } = build({
      base: { API_KEY: 'inherited-key', OTHER_KEY: 'not-inherited' },
      inherit: ['API_KEY'],
      set: { MY_TOKEN: 'token-value', SHORT_TOKEN: '12345', PLAIN: 'plain-value' },
      secretNames: ['*_KEY', '*_TOKEN'],
    });
    expect(secrets).toEqual([
      { name: 'API_KEY', value: 'inherited-key' },
      { name: 'MY_TOKEN', value: 'token-value' },
    ]);
  });

  test('is not contained in the record of the run', () => {
    const request = {
      base: { API_KEY: 'inherited-key' },
      inherit: ['*'],
      set: { MY_TOKEN: 'a.b*c$' },
      secretNames: ['*_KEY', '*_TOKEN'],
    };
    const hide = secretHider(request);
    expect(hide('curl -H inherited-key a.b*c$ a.b*c$ axbxc')).toBe('curl -H ************* ****** ****** axbxc');
  });
});
