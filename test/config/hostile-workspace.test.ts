import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { configFields } from '../../src/config/field-table.ts';
import { DEFAULTS, describeIgnored, loadConfig } from '../../src/config/index.ts';
import { KEY_CLASSES } from '../../src/config/trust/key-classes.ts';
import { trustFolder } from '../support/trust.ts';
import { HOSTILE } from './hostile-values.ts';
import { workspace, writeFiles } from './workspace.ts';

const FILES = ['config/tacho.yaml', '.env'] as const;
type File = (typeof FILES)[number];

/** The strictest user settings: every hostile value is looser. `.env` overrides them, a workspace’s YAML does not. */
const user = { limits: { timeout_ms: 60_000, no_progress_timeout_ms: 60_000 }, terminal: { term: 'xterm' } };
const keys = Object.keys(HOSTILE).filter((key) => KEY_CLASSES[key as keyof typeof KEY_CLASSES] !== 'harmless');

test('exactly the keys of the configuration have a class and a hostile value', () => {
  const known = [...configFields.fields.keys()].sort();
  expect(Object.keys(KEY_CLASSES).sort()).toEqual(known);
  expect(Object.keys(HOSTILE).sort()).toEqual(known);
});

describe.each(FILES)('a hostile %s', (file) => {
  test.each(keys)('%s has no effect without trust, full effect with it, and none again after a byte changes', (key) => {
    const { env, dataFolder } = userOf(file);
    const { loose } = HOSTILE[key]!;
    const root = workspace({ [file]: written(file, { [key]: loose }) });
    const load = () => loadConfig({ workspaceRoot: root, env, dataFolder });
    const without = loadConfig({ workspaceRoot: workspace(), env, dataFolder }).config;
    // Null, if the user has no limit either; lists of tools, which user-policy.test.ts tests with stricter ones.
    if (isDeepStrictEqual(valueAt(without, key), loose)) return;

    const before = load();
    expect(before.config).toEqual(without);
    // Entries of a map are recorded one by one, and their values ignored one by one.
    const { isMap, prefix } = configFields.fields.get(key)!;
    const recorded = isMap ? Object.keys(loose as object).map((name) => `${prefix}.${name}`) : [key];
    const held = before.workspace.needsTrust;
    expect(before.workspace.trusted).toBe(false);
    expect(held.map(({ source }) => source.name)).toEqual(held.map(() => file));
    expect(held.map((one) => one.path)).toEqual(isMap ? valuePaths(prefix, loose as object) : [key]);
    expect(describeIgnored(before.workspace)).toContain(`${recorded.join(', ')} of ${file}`);
    expect(before.settings).toContainEqual({ from: 'workspace_ignored', file, keys: recorded });

    trustFolder(root, { env, dataFolder });
    const trusted = load();
    expect(valueAt(trusted.config, key)).toEqual(key.startsWith('targets.') ? expect.anything() : loose);
    expect(describeIgnored(trusted.workspace)).toBeNull();
    const { sha256 } = trusted.workspace;
    expect(trusted.settings).toContainEqual({ from: 'workspace_trusted', file, sha256, keys: recorded });

    fs.appendFileSync(path.join(root, file), '#');
    expect(load().config).toEqual(without);
    expect(load().workspace.trusted).toBe(false);
  });

  test('can make settings stricter without trust', () => {
    const { env, dataFolder } = userOf(file);
    const strict = Object.entries(HOSTILE).filter(([, { strict }]) => strict !== undefined);
    const root = workspace({ [file]: written(file, Object.fromEntries(strict.map(([key, to]) => [key, to.strict]))) });
    const { config, settings, workspace: report } = loadConfig({ workspaceRoot: root, env, dataFolder });
    const secret = 'environment.secret_names';
    for (const [key, { strict: wanted }] of strict.filter(([key]) => key !== secret)) {
      expect([key, valueAt(config, key)]).toEqual([key, wanted]);
    }
    expect(config.environment.secret_names).toEqual([...DEFAULTS.environment.secret_names, '*PHRASE']);
    // The file leaves out the usual names, which has no effect.
    expect(report.needsTrust.map(({ path: key }) => key)).toEqual([secret]);
    expect(settings.find(({ from }) => from === 'workspace_untrusted')).toMatchObject({ file });
  });

  test('cannot replace a short limit for engines by a long general one', () => {
    const env = { TACHO_ENGINES_NO_PROGRESS_TIMEOUT_MS: '30s' };
    const root = workspace({ [file]: written(file, { 'limits.no_progress_timeout_ms': 31_000 }) });
    expect(loadConfig({ workspaceRoot: root, env }).config.limits.no_progress_timeout_ms).toBeNull();
    writeFiles(root, { [file]: written(file, { 'limits.no_progress_timeout_ms': 29_000 }) });
    expect(loadConfig({ workspaceRoot: root, env }).config.limits.no_progress_timeout_ms).toBe(29_000);
  });

  test('can set the size and type of terminals', () => {
    const root = workspace({ [file]: written(file, { 'terminal.cols': 90, 'terminal.term': 'vt100' }) });
    const { config, workspace: report } = loadConfig({ workspaceRoot: root, env: {} });
    expect(config.terminal).toEqual({ ...DEFAULTS.terminal, cols: 90, term: 'vt100' });
    expect(report.needsTrust).toEqual([]);
  });
});

test('values that the user overrides are not reported, but shown by `tacho trust`', () => {
  const root = workspace({ 'config/tacho.yaml': 'service: { host: 0.0.0.0 }\nlimits: { timeout_ms: 1h }\n' });
  const env = { TACHO_SERVICE_HOST: '127.0.0.2', TACHO_LIMITS_TIMEOUT_MS: '5m' };
  const { workspace: report, config } = loadConfig({ workspaceRoot: root, env });
  expect([config.service.host, config.limits.timeout_ms]).toEqual(['127.0.0.2', 300_000]);
  expect(report.needsTrust).toEqual([]);
  expect(report.asksFor.map(({ path: key }) => key)).toEqual(['service.host', 'limits.timeout_ms']);
});

test('variables in a .env that are not settings have no effect', () => {
  const lines = [
    'OPENAI_BASE_URL=http://evil',
    'ANTHROPIC_BASE_URL=http://evil',
    'TACHO_HOME=/tmp/evil',
    'PATH=/tmp/evil',
  ];
  const root = workspace({ '.env': `${lines.join('\n')}\n` });
  const env = { PATH: '/bin' };
  expect(loadConfig({ workspaceRoot: root, env }).config).toEqual(DEFAULTS);
  expect(env).toEqual({ PATH: '/bin' });
});

describe('files that TACHO_CONFIG_PATHS names', () => {
  const HOST = 'service: { host: 0.0.0.0 }\n';

  test('in an untrusted .env are not parsed, and a change of them ends the trust', () => {
    const elsewhere = workspace({ 'evil.yaml': 'not: [yaml\n' });
    const file = path.join(elsewhere, 'evil.yaml');
    const root = workspace({ '.env': `TACHO_CONFIG_PATHS=${file}\n` });
    const dataFolder = workspace();
    const load = () => loadConfig({ workspaceRoot: root, env: {}, dataFolder });
    expect(load().workspace.needsTrust).toMatchObject([{ path: 'TACHO_CONFIG_PATHS' }]);
    fs.writeFileSync(file, HOST);
    const { asksFor } = loadConfig({ workspaceRoot: root, env: {}, dataFolder, asIfTrusted: true }).workspace;
    expect(asksFor).toMatchObject([{ path: 'TACHO_CONFIG_PATHS' }, { path: 'service.host', value: '0.0.0.0' }]);
    trustFolder(root, { env: {}, dataFolder });
    expect(load().config.service.host).toBe('0.0.0.0');
    fs.appendFileSync(file, '\n');
    expect(load().config.service.host).toBe('127.0.0.1');
  });

  test('in the environment need trust only if they are in the workspace, also through a link', () => {
    const outside = workspace({ 'own.yaml': HOST });
    const root = workspace({ 'team.yaml': HOST });
    fs.symlinkSync(path.join(outside, 'own.yaml'), path.join(root, 'link.yaml'));
    const hostBy = (paths: string) =>
      loadConfig({ workspaceRoot: root, env: { TACHO_CONFIG_PATHS: paths } }).config.service.host;
    expect(hostBy('team.yaml')).toBe('127.0.0.1');
    expect(hostBy(path.join(root, 'team.yaml'))).toBe('127.0.0.1');
    expect(hostBy('link.yaml')).toBe('127.0.0.1');
    expect(hostBy(path.join(outside, 'own.yaml'))).toBe('0.0.0.0');
  });
});

describe('trust', () => {
  const YAML = { 'config/tacho.yaml': 'service: { host: 0.0.0.0 }\n' };
  const hostOf = (workspaceRoot: string, dataFolder: string) =>
    loadConfig({ workspaceRoot, env: {}, dataFolder }).config.service.host;

  test('belongs to one folder, by any of its names', () => {
    const [root, other, dataFolder] = [workspace(YAML), workspace(YAML), workspace()];
    trustFolder(root, { dataFolder });
    const link = path.join(other, 'link');
    fs.symlinkSync(root, link);
    expect(hostOf(link, dataFolder)).toBe('0.0.0.0');
    expect(hostOf(other, dataFolder)).toBe('127.0.0.1');
    fs.renameSync(root, `${root}-moved`);
    fs.renameSync(`${root}-moved`, path.join(other, 'moved'));
    expect(hostOf(path.join(other, 'moved'), dataFolder)).toBe('127.0.0.1');
  });

  test('survives a change of a .env without lines for tacho', () => {
    const [root, dataFolder] = [workspace({ ...YAML, '.env': 'KEY=1\n' }), workspace()];
    trustFolder(root, { dataFolder });
    fs.writeFileSync(path.join(root, '.env'), 'KEY=2\n');
    expect(hostOf(root, dataFolder)).toBe('0.0.0.0');
    fs.appendFileSync(path.join(root, '.env'), 'TACHO_TERMINAL_COLS=80\n');
    expect(hostOf(root, dataFolder)).toBe('127.0.0.1');
  });

  test('is ignored from a data folder that came with the workspace', () => {
    const root = workspace(YAML);
    const dataFolder = path.join(root, '.tacho');
    trustFolder(root, { dataFolder });
    expect(hostOf(root, dataFolder)).toBe('127.0.0.1');
    const link = path.join(workspace(), 'data');
    fs.symlinkSync(dataFolder, link);
    expect(hostOf(root, link)).toBe('127.0.0.1');
  });

  test('is kept in a private file, and ignored if others can write it or it is damaged', () => {
    const [root, dataFolder] = [workspace(YAML), path.join(workspace(), 'data')];
    trustFolder(root, { dataFolder });
    const [name] = fs.readdirSync(path.join(dataFolder, 'trust')) as [string];
    const file = path.join(dataFolder, 'trust', name);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    fs.chmodSync(file, 0o622);
    expect(hostOf(root, dataFolder)).toBe('127.0.0.1');
    fs.chmodSync(file, 0o600);
    expect(hostOf(root, dataFolder)).toBe('0.0.0.0');
    const content = fs.readFileSync(file, 'utf8');
    for (const damaged of ['', '{}', content.replace('tacho-trust/1', 'tacho-trust/2'), `${content}x`]) {
      fs.writeFileSync(file, damaged);
      expect(hostOf(root, dataFolder)).toBe('127.0.0.1');
    }
    fs.rmSync(file);
    fs.writeFileSync(path.join(dataFolder, 'other'), content, { mode: 0o600 });
    fs.symlinkSync(path.join(dataFolder, 'other'), file);
    expect(hostOf(root, dataFolder)).toBe('127.0.0.1');
  });

  test('of the user’s home may be stored inside of it', () => {
    const home = workspace(YAML);
    const before = process.env.HOME;
    process.env.HOME = home;
    try {
      expect(os.homedir()).toBe(home);
      trustFolder(home, { env: {} });
      expect(hostOf(home, path.join(home, '.tacho'))).toBe('0.0.0.0');
    } finally {
      process.env.HOME = before;
    }
  });
});

/** A user with strict settings in a file below `.env`; the YAML of a workspace has only the defaults below it. */
function userOf(file: File): { env: Record<string, string>; dataFolder: string } {
  const own = workspace({ 'own.yaml': stringify(user) });
  const env: Record<string, string> = file === '.env' ? { TACHO_CONFIG_PATHS: path.join(own, 'own.yaml') } : {};
  return { env, dataFolder: own };
}

function written(file: File, values: Record<string, unknown>): string {
  if (file === '.env') {
    const lines = Object.entries(values).map(([key, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return `${configFields.fields.get(key)!.environment_name}='${text}'\n`;
    });
    return lines.join('');
  }
  const tree: Record<string, Record<string, unknown>> = {};
  for (const [path, value] of Object.entries(values)) {
    const [section, key] = path.split('.') as [string, string];
    const { prefix } = configFields.fields.get(path)!;
    tree[section] = { ...tree[section], ...(prefix === section ? (value as object) : { [key]: value }) };
  }
  return stringify(tree);
}

function valuePaths(key: string, entries: object): string[] {
  return Object.entries(entries).flatMap(([name, entry]) => Object.keys(entry).map((at) => `${key}.${name}.${at}`));
}

function valueAt(config: object, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
}
