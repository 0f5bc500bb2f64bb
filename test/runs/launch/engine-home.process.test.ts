import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import { gemini } from '../../../src/engines/gemini/profile.ts';
import { type EngineProfile, listEngines, type Template } from '../../../src/engines/index.ts';
import { copyCredentials, prepareEngineHome } from '../../../src/runs/launch/engine-home.ts';
import type { LaunchValues } from '../../../src/runs/launch/launch-template.ts';
import { builtText } from '../../support/program.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, projectRoot, temporaryFolder } from '../../support/tacho.ts';

/** A managed home next to a folder that must not be changed. */
function homes() {
  const root = temporaryFolder();
  const home = path.join(root, 'managed');
  const user = path.join(root, 'user');
  fs.mkdirSync(home);
  fs.mkdirSync(user);
  return { root, home, user };
}

function valuesFor(home: string, some: Partial<LaunchValues> = {}): LaunchValues {
  const none = {
    prompt: null,
    session: null,
    model: null,
    base_url: null,
    format: null,
    mode: null,
    approvals: '',
    data: '',
    skills: null,
  };
  return { ...none, workspace: '/some/workspace', home, ...some };
}

function withFile(content: Template, more: { defaults?: Template; when?: string } = {}): EngineProfile {
  return { ...codex, folders: [], files: [{ path: '.engine/deep/settings.json', content, ...more }] };
}

const settingsIn = (home: string) => path.join(home, '.engine/deep/settings.json');
const readJson = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as unknown;

function place(file: string, content: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

/** Every file below a folder, with its content and its modification time. */
function listing(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => {
        const { ino, mtimeNs } = fs.statSync(file, { bigint: true });
        return [path.relative(folder, file), `${ino} ${mtimeNs} ${fs.readFileSync(file, 'utf8')}`];
      }),
  );
}

describe('the settings of an engine', () => {
  test('are created if missing, readable only by the user', async () => {
    const { home } = homes();
    await prepareEngineHome(withFile({ trusted: { '{workspace}': true } }), valuesFor(home));
    expect(readJson(settingsIn(home))).toEqual({ trusted: { '/some/workspace': true } });
    expect(fs.statSync(settingsIn(home)).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(settingsIn(home))).mode & 0o777).toBe(0o700);
  });

  test('are merged at every depth: enforced values win, defaults give way, the rest is kept', async () => {
    const { home } = homes();
    const theirs = { theme: 'dark', auth: { type: 'oauth', account: 7 }, list: [1, 2], update: { auto: true, nag: 1 } };
    place(settingsIn(home), JSON.stringify(theirs));
    const profile = withFile(
      { update: { auto: false }, list: [3] },
      { defaults: { auth: { type: 'key', extra: true }, fresh: { a: 1 } } },
    );
    await prepareEngineHome(profile, valuesFor(home));
    expect(readJson(settingsIn(home))).toEqual({
      theme: 'dark',
      auth: { type: 'oauth', account: 7, extra: true },
      list: [3],
      update: { auto: false, nag: 1 },
      fresh: { a: 1 },
    });
  });

  test('are merged into any existing settings without loss, and merging again changes nothing', async () => {
    const key = fc
      .oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ maxLength: 5 }))
      .filter((name) => name !== '__proto__');
    const { json } = fc.letrec<{ json: Template }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Template>(null, true, 0, 1.5, '', 'text'),
        fc.array(tie('json'), { maxLength: 2 }),
        fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    const object = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(object, object, object, async (theirs, enforced, defaults) => {
        const { home } = homes();
        place(settingsIn(home), JSON.stringify(theirs));
        const profile = withFile(enforced, { defaults });
        await prepareEngineHome(profile, valuesFor(home));
        const merged = readJson(settingsIn(home)) as Record<string, unknown>;
        for (const [name, value] of leaves(enforced)) expect(at(merged, name)).toEqual(value);
        for (const [name, value] of leaves(theirs)) {
          if (!overlaps(enforced, name)) expect(at(merged, name)).toEqual(value);
        }
        for (const [name, value] of leaves(defaults)) {
          if (!overlaps(enforced, name) && !overlaps(theirs, name)) expect(at(merged, name)).toEqual(value);
        }
        const before = listing(home);
        await prepareEngineHome(profile, valuesFor(home));
        expect(listing(home)).toEqual(before);
      }),
      { numRuns: proofSize({ small: 20, full: 60 }) },
    );
  });

  test.each(['{"a":', '', 'not json', '[1,2]', 'null', '"text"'])('replace the unusable %j', async (broken) => {
    const { home } = homes();
    place(settingsIn(home), broken);
    await prepareEngineHome(withFile({ a: 1 }, { defaults: { b: 2 } }), valuesFor(home));
    expect(readJson(settingsIn(home))).toEqual({ b: 2, a: 1 });
  });

  test('are not written if they are for runs of another kind', async () => {
    const { home } = homes();
    const profile = withFile({ url: '{base_url}' }, { when: 'base_url' });
    await prepareEngineHome(profile, valuesFor(home));
    expect(fs.existsSync(settingsIn(home))).toBe(false);
    await prepareEngineHome(profile, valuesFor(home, { base_url: 'http://localhost' }));
    expect(readJson(settingsIn(home))).toEqual({ url: 'http://localhost' });
  });

  test('contain the trust of both folders after two runs', async () => {
    const { home } = homes();
    for (const workspace of ['/one', '/two', '/one']) await prepareEngineHome(gemini, valuesFor(home, { workspace }));
    expect(readJson(path.join(home, '.gemini/trustedFolders.json'))).toEqual({
      '/one': 'TRUST_FOLDER',
      '/two': 'TRUST_FOLDER',
    });
  });

  test('contain the trust of all folders after four concurrent processes', async () => {
    const { home } = homes();
    const program = builtText(PREPARE);
    const processes = ['a', 'b', 'c', 'd'].map((name) => finished(spawn(process.execPath, [program, home, name])));
    for (const { code, stderr } of await Promise.all(processes))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const expected = ['a', 'b', 'c', 'd'].flatMap((name) => Array.from({ length: 25 }, (_, at) => `/${name}/${at}`));
    const trusted = readJson(path.join(home, '.gemini/trustedFolders.json')) as object;
    expect(Object.keys(trusted).sort()).toEqual(expected.sort());
    expect(fs.readdirSync(home)).toEqual(['.gemini']);
  });
});

describe.each(listEngines().map((profile) => [profile.name, profile] as const))('the home of %s', (_name, profile) => {
  test('is prepared the same each time, and nothing outside of it is changed', async () => {
    const { root, home, user } = homes();
    place(path.join(user, '.gemini/settings.json'), '{}');
    const values = valuesFor(home, { base_url: 'http://localhost:1', model: 'm' });
    await prepareEngineHome(profile, values);
    const files = listing(root);
    expect(Object.keys(files).filter((name) => !name.startsWith('managed/'))).toEqual(['user/.gemini/settings.json']);
    for (const name of Object.keys(files)) expect(name).not.toMatch(/lock|tmp|dead/);
    await prepareEngineHome(profile, values);
    expect(listing(root)).toEqual(files);
  });

  test('gets the user’s credentials only on request, readable only by the user', async () => {
    if (profile.credentialFiles.length === 0) {
      const { home, user } = homes();
      expect(() => copyCredentials(profile, home, user)).toThrow(
        expect.objectContaining({ code: 'CREDENTIALS_NOT_FOUND' }),
      );
      return;
    }
    const { home, user } = homes();
    for (const name of profile.credentialFiles) place(path.join(user, name), `{"secret":"of ${name}"}`);
    await prepareEngineHome(profile, valuesFor(home));
    for (const name of profile.credentialFiles) expect(fs.existsSync(path.join(home, name))).toBe(false);
    expect(copyCredentials(profile, home, user)).toEqual(profile.credentialFiles);
    for (const name of profile.credentialFiles) {
      expect(fs.readFileSync(path.join(home, name), 'utf8')).toBe(`{"secret":"of ${name}"}`);
      expect(fs.statSync(path.join(home, name)).mode & 0o777).toBe(0o600);
    }
  });
});

describe('copyCredentials', () => {
  test('copies existing credentials and reports them; a second call copies the current ones', () => {
    const { home, user } = homes();
    const file = place(path.join(user, '.gemini/google_accounts.json'), 'old');
    fs.chmodSync(file, 0o644);
    expect(copyCredentials(gemini, home, user)).toEqual(['.gemini/google_accounts.json']);
    fs.writeFileSync(file, 'new');
    copyCredentials(gemini, home, user);
    expect(fs.readFileSync(path.join(home, '.gemini/google_accounts.json'), 'utf8')).toBe('new');
    expect(fs.statSync(path.join(home, '.gemini/google_accounts.json')).mode & 0o777).toBe(0o600);
  });

  test('refuses if the user has none, and names the alternatives', () => {
    const { home, user } = homes();
    expect(() => copyCredentials(codex, home, user)).toThrow(
      expect.objectContaining({
        code: 'CREDENTIALS_NOT_FOUND',
        facts: { engine: 'codex', looked_for: ['.codex/auth.json'] },
        fix: expect.stringMatching(/tacho engines login codex.*--env CODEX_API_KEY/),
      }),
    );
    expect(fs.readdirSync(home)).toEqual([]);
  });
});

describe('a link in the managed home', () => {
  const broken = (folder: string) => expect.objectContaining({ code: 'ISOLATION_BROKEN', facts: { path: folder } });

  test('that leads out of it is refused, and its target is not changed', async () => {
    const { home, user } = homes();
    place(path.join(user, 'settings.json'), '{"mine":true}');
    const before = listing(user);
    fs.symlinkSync(user, path.join(home, '.gemini'));
    await expect(prepareEngineHome(gemini, valuesFor(home))).rejects.toThrow(broken(path.join(home, '.gemini')));
    place(path.join(user, '.gemini/oauth_creds.json'), 'secret');
    expect(() => copyCredentials(gemini, home, user)).toThrow(broken(path.join(home, '.gemini')));
    fs.rmSync(path.join(user, '.gemini'), { recursive: true });
    expect(listing(user)).toEqual(before);
    expect(fs.readdirSync(home)).toEqual(['.gemini']);
  });

  test('that leads out of a subfolder is refused as well', async () => {
    const { home, user } = homes();
    fs.mkdirSync(path.join(home, '.engine'));
    fs.symlinkSync(path.relative(path.join(home, '.engine'), user), path.join(home, '.engine/deep'));
    await expect(prepareEngineHome(withFile({}), valuesFor(home))).rejects.toThrow(
      broken(path.join(home, '.engine/deep')),
    );
    expect(fs.readdirSync(user)).toEqual([]);
  });

  test('that is dangling is refused, because its target may appear later', async () => {
    const { home, user } = homes();
    fs.symlinkSync(path.join(user, 'later'), path.join(home, '.engine'));
    await expect(prepareEngineHome(withFile({}), valuesFor(home))).rejects.toThrow(broken(path.join(home, '.engine')));
    expect(fs.readdirSync(user)).toEqual([]);
  });

  test('in place of a folder that the engine requires is refused as well', async () => {
    const { home, user } = homes();
    const profile: EngineProfile = { ...codex, folders: ['.codex'] };
    await prepareEngineHome(profile, valuesFor(home));
    expect(fs.statSync(path.join(home, '.codex')).mode & 0o777).toBe(0o700);
    fs.rmdirSync(path.join(home, '.codex'));
    fs.symlinkSync(user, path.join(home, '.codex'));
    await expect(prepareEngineHome(profile, valuesFor(home))).rejects.toThrow(broken(path.join(home, '.codex')));
  });

  test('that stays in it is followed', async () => {
    const { home } = homes();
    fs.mkdirSync(path.join(home, 'elsewhere'));
    fs.symlinkSync('elsewhere', path.join(home, '.engine'));
    await prepareEngineHome(withFile({ a: 1 }), valuesFor(home));
    expect(readJson(path.join(home, 'elsewhere/deep/settings.json'))).toEqual({ a: 1 });
  });

  test('in place of the file itself is replaced, and its target is not changed', async () => {
    const { home, user } = homes();
    const theirs = place(path.join(user, 'settings.json'), '{"mine":true}');
    const before = listing(user);
    fs.mkdirSync(path.dirname(settingsIn(home)), { recursive: true });
    fs.symlinkSync(theirs, settingsIn(home));
    await prepareEngineHome(withFile({ a: 1 }), valuesFor(home));
    expect(fs.lstatSync(settingsIn(home)).isFile()).toBe(true);
    expect(listing(user)).toEqual(before);
  });

  test('in place of the whole home is the user’s own choice', async () => {
    const { root, home } = homes();
    const link = path.join(root, 'link');
    fs.symlinkSync(home, link);
    await prepareEngineHome(withFile({ a: 1 }), valuesFor(link));
    expect(readJson(settingsIn(home))).toEqual({ a: 1 });
  });
});

type Path = readonly string[];

/** All non-object values in an object, by their paths. */
function leaves(value: unknown, name: Path = []): [Path, unknown][] {
  if (!isObject(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...name, key]));
}

function at(value: unknown, name: Path): unknown {
  return name.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

/** True when the other object has a value at this path, above it or below it. */
function overlaps(other: unknown, name: Path): boolean {
  let inner = other;
  for (const key of name) {
    if (!isObject(inner)) return true;
    if (!Object.hasOwn(inner, key)) return false;
    inner = inner[key];
  }
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Prepares the home for 25 workspaces, one after the other. The pause is longer than the poll interval of the lock:
 * otherwise one process would wait for all 25 of another, on a slow disk beyond the lock timeout.
 */
const PREPARE = `
import { gemini } from ${JSON.stringify(path.join(projectRoot, 'src/engines/gemini/profile.ts'))};
import { prepareEngineHome } from ${JSON.stringify(path.join(projectRoot, 'src/runs/launch/engine-home.ts'))};
const [home, name] = process.argv.slice(2);
const none = { prompt: null, session: null, model: null, base_url: null, format: null, mode: null, approvals: '' };
for (let at = 0; at < 25; at++) {
  await prepareEngineHome(gemini, { ...none, workspace: '/' + name + '/' + at, home });
  await new Promise((resolve) => setTimeout(resolve, 25));
}
`;

test.each([
  ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  [
    'a file of a terabyte',
    (file: string) => {
      fs.writeFileSync(file, '');
      fs.truncateSync(file, 2 ** 40);
    },
  ],
  ['a link to a device', (file: string) => fs.symlinkSync('/dev/zero', file)],
])('replaces %s that an earlier program left in place of a settings file', async (_, leave) => {
  const { home } = homes();
  fs.mkdirSync(path.dirname(settingsIn(home)), { recursive: true });
  leave(settingsIn(home));
  await prepareEngineHome(withFile({ trusted: true }), valuesFor(home));
  expect(readJson(settingsIn(home))).toEqual({ trusted: true });
});
