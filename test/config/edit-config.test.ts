import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfig, type EditRequest, loadConfig, setConfig, unsetConfig } from '../../src/config/index.ts';
import { TachoError } from '../../src/protocol/index.ts';
import { workspace, writeFiles } from './workspace.ts';

const HOST = '{host: one.example, user: ci, host_key: ssh-ed25519 AAAA}';

/** A folder and a data folder, the user's file with this content. */
function place(files: { user?: string; workspace?: string } = {}, env: Record<string, string> = {}) {
  const data = workspace(files.user === undefined ? {} : { 'config.yaml': files.user });
  const root = workspace(files.workspace === undefined ? {} : { 'config/tacho.yaml': files.workspace });
  const request: EditRequest = { workspaceRoot: root, env, dataFolder: data, file: 'user' };
  return {
    root,
    data,
    request,
    inFolder: { ...request, file: 'workspace' } as EditRequest,
    user: () => fs.readFileSync(path.join(data, 'config.yaml'), 'utf8'),
    own: () => fs.readFileSync(path.join(root, 'config/tacho.yaml'), 'utf8'),
    config: () => loadConfig(request).config,
  };
}

async function refusal(change: Promise<unknown>): Promise<TachoError> {
  const error = await change.then(
    () => new Error('was not refused'),
    (cause: unknown) => cause,
  );
  if (error instanceof TachoError) return error;
  throw error;
}

describe("the user's file", () => {
  test('applies in every folder, with lower precedence than the file of the folder, and without trust', () => {
    const user = 'service: { host: 0.0.0.0 }\nterminal: { cols: 1, rows: 1 }\n';
    const { request, data } = place({ user, workspace: 'terminal: { cols: 2 }\n' });
    const loaded = loadConfig(request);
    expect(loaded.config.service.host).toBe('0.0.0.0');
    expect(loaded.config.terminal).toMatchObject({ cols: 2, rows: 1 });
    expect(loaded.settings).toContainEqual({
      from: 'user_file',
      file: path.join(data, 'config.yaml'),
      keys: ['terminal.rows', 'service.host'],
    });
  });

  test('needs trust if the data folder is in the workspace', () => {
    const root = workspace({ 'data/config.yaml': 'service: { host: 0.0.0.0 }\n' });
    const loaded = loadConfig({ workspaceRoot: root, env: {}, dataFolder: path.join(root, 'data') });
    expect(loaded.config.service.host).toBe('127.0.0.1');
    expect(loaded.workspace.needsTrust.map(({ path: key }) => key)).toEqual(['service.host']);
  });
});

describe('setConfig', () => {
  test('writes a private file for the user, and keeps its content', async () => {
    const { request, user, data, config } = place();
    await setConfig(request, 'limits.timeout_ms', '1h30m');
    fs.appendFileSync(path.join(data, 'config.yaml'), '# mine\n');
    await setConfig(request, 'recording.ignore', 'a,b');
    await setConfig(request, 'limits.no_progress_timeout_ms', 'null');
    expect(user()).toBe(
      'limits:\n  timeout_ms: 1h30m\n  no_progress_timeout_ms: null\nrecording:\n  ignore: [a, b]\n# mine\n',
    );
    expect(config().limits.timeout_ms).toBe(5_400_000);
    expect(fs.statSync(path.join(data, 'config.yaml')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(data)).toEqual(['config.yaml']);
  });

  test('keeps the mode of the folder’s file', async () => {
    const { inFolder, own, root } = place();
    await setConfig(inFolder, 'terminal.cols', '90');
    expect(own()).toBe('terminal:\n  cols: 90\n');
    const file = path.join(root, 'config/tacho.yaml');
    expect(fs.statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
    fs.chmodSync(file, 0o640);
    await setConfig(inFolder, 'terminal.cols', '91');
    expect([own(), fs.statSync(file).mode & 0o777]).toEqual(['terminal:\n  cols: 91\n', 0o640]);
  });

  test.each([
    ['limits.timeot_ms', '1m', 'CONFIG_UNKNOWN_KEY', 'did you mean limits.timeout_ms?'],
    ['targets.ssh.a.prot', '1', 'CONFIG_UNKNOWN_KEY', 'did you mean targets.ssh.a.port?'],
    ['limits', '1m', 'CONFIG_INVALID', 'limits is a section; set one of its keys: timeout_ms, '],
    ['limits.timeout_ms', 'soon', 'CONFIG_INVALID', 'command line: limits.timeout_ms must be a duration'],
    ['terminal.cols', '0', 'CONFIG_INVALID', 'terminal.cols must be a whole number from 1 to 65535, not 0'],
    ['recording.ignore', '[a', 'CONFIG_INVALID', 'recording.ignore is not a JSON list: "[a"'],
    ['targets.ssh.a', '{host: ', 'CONFIG_INVALID', 'targets.ssh.a must be a map such as {name: value}'],
    ['targets.ssh.a', 'x', 'CONFIG_INVALID', 'targets.ssh.a must be a map with keys from: host'],
    ['targets.ssh.a', '{hots: x}', 'CONFIG_UNKNOWN_KEY', 'unknown key targets.ssh.a.hots; did you mean host?'],
    ['targets.ssh.a.port', '22', 'CONFIG_INVALID', 'targets.ssh.a.host is missing'],
  ])('refuses %s = %s and writes nothing', async (key, text, code, message) => {
    const { request, data } = place();
    const error = await refusal(setConfig(request, key, text));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
    expect(fs.readdirSync(data)).toEqual([]);
  });

  test('sets a named entry, its values and its removal', async () => {
    const { request, user, config } = place();
    await setConfig(request, 'targets.ssh.one.example', HOST);
    await setConfig(request, 'targets.ssh.one.example.port', '2222');
    expect(config().targets.ssh['one.example']).toMatchObject({ host: 'one.example', port: 2222 });
    await setConfig(request, 'targets.ssh.one.example.port', 'null');
    expect(config().targets.ssh['one.example']).toMatchObject({ port: 22 });
    await setConfig(request, 'targets.ssh."one.example"', 'null');
    expect(user()).toBe('targets:\n  ssh:\n    one.example: null\n');
  });

  test('completes an entry of another layer', async () => {
    const { inFolder, own } = place({ user: `targets: { ssh: { a: ${HOST} } }\n` });
    await setConfig(inFolder, 'targets.ssh.a.port', '2222');
    expect(own()).toBe('targets:\n  ssh:\n    a:\n      port: 2222\n');
  });

  test('replaces an invalid value, whatever else is invalid', async () => {
    const wrong = { user: 'terminal:\n  cols: wide\n  rows: tall\n', workspace: 'nonsense: 1\n' };
    const { request, user } = place(wrong);
    await setConfig(request, 'terminal.cols', '80');
    expect(user()).toBe('terminal:\n  cols: 80\n  rows: tall\n');
  });

  test('reports a file that cannot be written', async () => {
    const { request, inFolder, root } = place();
    const dataFolder = path.join(workspace({ file: '' }), 'file/data');
    expect(await refusal(setConfig({ ...request, dataFolder }, 'terminal.cols', '80'))).toMatchObject({
      code: 'DATA_FOLDER_UNWRITABLE',
      message: `${dataFolder}/config.yaml cannot be written (ENOTDIR)`,
    });
    fs.writeFileSync(path.join(root, 'config'), '');
    expect((await refusal(setConfig(inFolder, 'terminal.cols', '80'))).message).toBe(
      'config/tacho.yaml cannot be written (EEXIST)',
    );
  });

  test('refuses a path through an alias, which may be used elsewhere', async () => {
    const { request, user } = place({ user: 'service: &x {}\nterminal: *x\n' });
    expect((await refusal(setConfig(request, 'terminal.cols', '80'))).message).toContain('cannot be changed there');
    expect(user()).toBe('service: &x {}\nterminal: *x\n');
  });

  test('leaves a file alone that is not YAML', async () => {
    const { request, user } = place({ user: 'terminal: [\n' });
    expect((await refusal(setConfig(request, 'terminal.cols', '80'))).message).toContain('config.yaml:2:1: ');
    expect(user()).toBe('terminal: [\n');
  });

  test('follows a link of the user, but not one that leads out of the folder', async () => {
    const { request, inFolder, data, root } = place();
    const elsewhere = workspace({ 'dotfiles.yaml': '', 'other.yaml': '' });
    fs.symlinkSync(path.join(elsewhere, 'dotfiles.yaml'), path.join(data, 'config.yaml'));
    await setConfig(request, 'terminal.cols', '80');
    expect(fs.readFileSync(path.join(elsewhere, 'dotfiles.yaml'), 'utf8')).toBe('terminal:\n  cols: 80\n');
    fs.mkdirSync(path.join(root, 'config'));
    fs.symlinkSync(path.join(elsewhere, 'other.yaml'), path.join(root, 'config/tacho.yaml'));
    expect((await refusal(setConfig(inFolder, 'terminal.cols', '80'))).message).toContain('leads out of the folder');
    expect(fs.readFileSync(path.join(elsewhere, 'other.yaml'), 'utf8')).toBe('');
  });

  test('loses nothing when several processes set values at once', async () => {
    const { request, config } = place();
    const keys = ['terminal.cols', 'terminal.rows', 'service.port', 'service.slots', 'service.queue_limit'];
    await Promise.all(keys.map((key) => setConfig(request, key, '77')));
    expect(config()).toMatchObject({
      terminal: { cols: 77, rows: 77 },
      service: { port: 77, slots: 77, queue_limit: 77 },
    });
  });
});

describe('unsetConfig', () => {
  test('removes a key, including a misspelt one', async () => {
    const { request, user } = place({ user: 'terminal:\n  colls: 80\n  rows: 24\n' });
    await unsetConfig(request, 'terminal.colls');
    expect(user()).toBe('terminal:\n  rows: 24\n');
    await unsetConfig(request, 'terminal');
    expect(user()).toBe('');
  });

  test('does not leave an incomplete entry behind', async () => {
    const { request, user } = place();
    await setConfig(request, 'targets.ssh.a', HOST);
    const before = user();
    const error = await refusal(unsetConfig(request, 'targets.ssh.a.host'));
    expect([error.code, error.fix]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining('tacho config unset targets.ssh.a'),
    ]);
    expect(user()).toBe(before);
    await unsetConfig(request, 'targets.ssh.a');
    expect(user()).toBe('');
  });

  test('reports a key that is not set there or unknown', async () => {
    const { request } = place({ user: 'terminal:\n  rows: 24\n' });
    expect(await refusal(unsetConfig(request, 'terminal.cols'))).toMatchObject({ code: 'NOT_FOUND' });
    expect((await refusal(unsetConfig(request, 'terminal.colls'))).message).toContain('did you mean terminal.cols?');
  });
});

describe('checkConfig', () => {
  test('lists the problems of all files, including untrusted ones, or of one file', () => {
    const { request, root } = place({
      user: 'terminal: { cols: 0 }\n',
      workspace: 'limits:\n  timeout: 1m\n  linger_ms: x\n',
    });
    writeFiles(root, { 'team.yaml': 'recording: { levle: full }\n' });
    expect(checkConfig(request).map(({ message }) => message.replace(/.*config\.yaml/, 'config.yaml'))).toEqual([
      'config.yaml:1:19: terminal.cols must be a whole number from 1 to 65535, not 0',
      'config/tacho.yaml:2:3: unknown key limits.timeout; did you mean limits.timeout_ms?',
      expect.stringContaining('config/tacho.yaml:3:14: limits.linger_ms must be'),
    ]);
    expect(checkConfig(request, 'team.yaml').map(({ message }) => message)).toEqual([
      'team.yaml:1:14: unknown key recording.levle; did you mean recording.level?',
    ]);
    expect(checkConfig(request, 'nowhere.yaml').map(({ message }) => message)).toEqual([
      expect.stringContaining('the file "nowhere.yaml" does not exist'),
    ]);
  });

  test('finds nothing in a valid configuration', () => {
    expect(checkConfig(place().request)).toEqual([]);
  });
});
