import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewRun } from '../../../src/client/index.ts';
import { DEFAULTS } from '../../../src/config/index.ts';
import { buildInheritedEnv } from '../../../src/runs/launch/inherited-environment.ts';
import { hiderFor } from '../../../src/runs/launch/program-environment.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const CALLER = {
  HOME: '/home/me',
  PATH: '/opt/bin:/bin',
  XDG_CONFIG_HOME: '/home/me/cfg',
  TMPDIR: '/var/tmp',
  TERM: 'vt52',
};

function settled(wanted: NewRun = {}, env: NodeJS.ProcessEnv = CALLER) {
  const request = parseRunRequest({ command: ['true'], environment: 'inherited', ...wanted });
  return settleRequest(request, { config: DEFAULTS, env });
}

function build({ wanted, env = CALLER, cwd = '/' }: { wanted?: NewRun; env?: NodeJS.ProcessEnv; cwd?: string } = {}) {
  return buildInheritedEnv(settled(wanted, env), { env, cwd }, { TACHO_RUN_ID: 'inner' });
}

const secretNames = (env: NodeJS.ProcessEnv, wanted?: NewRun) =>
  build({ env, ...(wanted ? { wanted } : {}) }).secrets.map(({ name }) => name);

describe('an inherited environment', () => {
  test('is the caller’s, with the terminal type of the run', () => {
    expect(build().env).toEqual({ ...CALLER, TERM: DEFAULTS.terminal.term, TACHO_RUN_ID: 'inner' });
  });

  test('has the variables that the run sets, including HOME', () => {
    const { env } = build({ wanted: { env: { HOME: '/elsewhere', MODE: 'ci' } } });
    expect(env).toMatchObject({ HOME: '/elsewhere', MODE: 'ci', PATH: CALLER.PATH });
  });

  test('has no variables that tacho set for an outer run', () => {
    const outer = { TACHO_RUN_ID: 'outer', TACHO_MARKER: 'outer', TACHO_DEMO_APPROVALS: '/outer', TACHO_HOME: '/data' };
    const { env } = build({ env: { ...CALLER, ...outer } });
    expect(JSON.stringify(env)).not.toContain('outer');
    expect(env).toMatchObject({ TACHO_HOME: '/data', TACHO_RUN_ID: 'inner' });
  });

  test('has the working folder as PWD, through a link if the caller’s PWD has one', () => {
    const folder = temporaryFolder();
    const link = path.join(temporaryFolder(), 'link');
    fs.symlinkSync(folder, link);
    const pwd = (PWD: string | undefined, cwd: string) => build({ env: { PWD }, cwd }).env.PWD;
    expect(pwd(link, folder)).toBe(link);
    expect(pwd('/', folder)).toBe(folder);
    expect(pwd(undefined, folder)).toBeUndefined();
  });

  test('leaves no value in the request', () => {
    const env = { ...CALLER, API_KEY: 'sk-123456' };
    expect(settled({ pass_env: ['API_KEY'], env: { MODE: 'ci' } }, env).env).toEqual({ MODE: 'ci' });
  });

  test('is recorded by its names only', () => {
    expect(build().names).toEqual([...Object.keys(CALLER), 'TACHO_MARKER', 'TACHO_RUN_ID'].sort());
  });

  test('finds secrets by the names of variables', () => {
    const env = {
      API_KEY: 'sk-123456',
      GITHUB_TOKEN: 'ghp_abcdef',
      LONG_TOKEN: 'abcdefghijklmnop',
      PLAIN: 'sk-654321',
    };
    expect(secretNames(env)).toEqual(['API_KEY', 'GITHUB_TOKEN', 'LONG_TOKEN']);
    const hide = hiderFor(settled({}, env), { callerEnv: env, engineSets: {} });
    expect(hide('curl -u sk-123456 sk-654321')).toBe('curl -u ********* sk-654321');
  });

  test('masks a word and a number, but not the path of a file', () => {
    const file = path.join(temporaryFolder(), 'service-account.json');
    fs.writeFileSync(file, '{}');
    const env = {
      POSTGRES_PASSWORD: 'swordfish',
      PIN_TOKEN: '123456789',
      AWS_SECRET: '/abc+def/ghi',
      GOOGLE_APPLICATION_CREDENTIALS: file,
    };
    expect(secretNames(env)).toEqual(['POSTGRES_PASSWORD', 'PIN_TOKEN', 'AWS_SECRET']);
  });

  test('masks a path that this run sets', () => {
    expect(secretNames({}, { env: { DB_PASSWORD: '/etc/passwd' } })).toEqual(['DB_PASSWORD']);
  });
});
