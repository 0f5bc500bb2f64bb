import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CodeCache, codeCacheFolder } from '../../src/cli/launch/code-cache.ts';
import { finished, projectRoot, tachoCommand, temporaryFolder, until } from '../support/tacho.ts';

const SOURCE = Buffer.from('one');
const COMPILED = Buffer.from('compiled code');

describe('the code cache', () => {
  test('returns the code only for the same source, not for another of equal length', () => {
    const folder = path.join(temporaryFolder(), 'code');
    expect(CodeCache.open(folder, SOURCE)!.read()).toBeNull();
    CodeCache.open(folder, SOURCE)!.write(() => COMPILED);
    expect(CodeCache.open(folder, SOURCE)!.read()).toEqual(COMPILED);
    expect(CodeCache.open(folder, Buffer.from('two'))!.read()).toBeNull();
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(onlyFile(folder))).toBe(0o600);
  });

  test('rejects a file that is truncated, changed, a link, or accessible to others', () => {
    const damage: ((file: string) => void)[] = [
      (file) => fs.truncateSync(file, 5),
      (file) => fs.truncateSync(file, 40),
      (file) => fs.writeFileSync(file, fs.readFileSync(file).fill(0, 36)),
      (file) => fs.chmodSync(file, 0o644),
      (file) => {
        fs.renameSync(file, `${file}.1`);
        fs.symlinkSync(`${file}.1`, file);
      },
      (file) => {
        fs.rmSync(file);
        fs.mkdirSync(file);
      },
    ];
    for (const change of damage) {
      const folder = path.join(temporaryFolder(), 'code');
      const cache = CodeCache.open(folder, SOURCE)!;
      cache.write(() => COMPILED);
      change(onlyFile(folder));
      expect(cache.read(), String(change)).toBeNull();
    }
  });

  test('replaces a damaged file', () => {
    const folder = path.join(temporaryFolder(), 'code');
    const cache = CodeCache.open(folder, SOURCE)!;
    cache.write(() => COMPILED);
    fs.truncateSync(onlyFile(folder), 3);
    expect(cache.read()).toBeNull();
    cache.write(() => COMPILED);
    expect(cache.read()).toEqual(COMPILED);
  });

  test('uses no folder that others can enter, that is a link, or that belongs to another user', () => {
    const root = temporaryFolder();
    const folder = path.join(root, 'code');
    CodeCache.open(folder, SOURCE)!.write(() => COMPILED);
    fs.symlinkSync(folder, path.join(root, 'link'));
    expect(CodeCache.open(path.join(root, 'link'), SOURCE)).toBeNull();
    fs.chmodSync(folder, 0o755);
    expect(CodeCache.open(folder, SOURCE)).toBeNull();
    expect(CodeCache.open(null, SOURCE)).toBeNull();
    if (process.getuid!() === 0) {
      fs.chmodSync(folder, 0o700);
      fs.chownSync(folder, 65_534, 65_534);
      expect(CodeCache.open(folder, SOURCE)).toBeNull();
      fs.chownSync(folder, 0, 0);
      fs.chownSync(onlyFile(folder), 65_534, 65_534);
      expect(CodeCache.open(folder, SOURCE)!.read()).toBeNull();
      // A superuser with the HOME of another user leaves no folders there either.
      fs.chownSync(root, 65_534, 65_534);
      expect(CodeCache.open(path.join(root, 'new'), SOURCE)).toBeNull();
      expect(fs.existsSync(path.join(root, 'new'))).toBe(false);
    }
  });

  test('does not compile when nothing can be written', () => {
    const folder = path.join(temporaryFolder(), 'code');
    const cache = CodeCache.open(folder, SOURCE)!;
    fs.rmSync(folder, { recursive: true });
    cache.write(() => expect.unreachable());
  });

  test('does not compile code that another process wrote meanwhile', () => {
    const folder = path.join(temporaryFolder(), 'code');
    const caches = [1, 2].map(() => CodeCache.open(folder, SOURCE)!);
    for (const cache of caches) expect(cache.read()).toBeNull();
    caches[0]!.write(() => COMPILED);
    caches[1]!.write(() => expect.unreachable());
    expect(caches[1]!.read()).toEqual(COMPILED);
  });

  test('keeps the last 32 files', () => {
    const folder = path.join(temporaryFolder(), 'code');
    const cacheOf = (number: number) => CodeCache.open(folder, SOURCE, `use-${number}`)!;
    const numbers = Array.from({ length: 34 }, (_, number) => number);
    for (const number of numbers) {
      cacheOf(number).write(() => COMPILED);
      for (const name of fs.readdirSync(folder)) {
        const { mtimeMs } = fs.statSync(path.join(folder, name));
        fs.utimesSync(path.join(folder, name), 0, mtimeMs / 1000 - 60);
      }
    }
    expect(numbers.filter((number) => cacheOf(number).read() === null)).toEqual([0, 1]);
    expect(fs.readdirSync(folder)).toHaveLength(32);
  });

  test('is in the cache folder of the user, and Node’s own variable switches it off', () => {
    expect(codeCacheFolder({ HOME: '/home/me' })).toBe('/home/me/.cache/tacho/code');
    expect(codeCacheFolder({ HOME: '/home/me', XDG_CACHE_HOME: '/cache' })).toBe('/cache/tacho/code');
    expect(codeCacheFolder({ XDG_CACHE_HOME: 'relative' })).toBeNull();
    expect(codeCacheFolder({ HOME: '/home/me', NODE_DISABLE_COMPILE_CACHE: '1' })).toBeNull();
  });
});

describe('the built command', () => {
  const record = (cache: string, env: NodeJS.ProcessEnv = {}, command = [tachoCommand]) =>
    finished(
      spawn(process.execPath, [...command, 'run', '--scratch', '--', 'echo', 'hello'], {
        env: { ...process.env, TACHO_HOME: path.join(cache, 'home'), XDG_CACHE_HOME: cache, ...env },
      }),
    );
  const succeeded = { code: 0, stdout: 'hello\n' };

  test('works with no cache, a fresh one, a damaged one and one made with other V8 flags', async () => {
    const cache = temporaryFolder();
    const folder = path.join(cache, 'tacho/code');
    expect(await record(cache)).toMatchObject(succeeded);
    const content = fs.readFileSync(onlyFile(folder));
    expect(await record(cache)).toMatchObject(succeeded);
    const { ino } = fs.statSync(onlyFile(folder));
    expect(await record(cache, {}, ['--max-lazy', tachoCommand])).toMatchObject(succeeded);
    expect(fs.readdirSync(folder), 'V8 rejects code for other flags, so it has a separate file').toHaveLength(2);
    for (const preloaded of ['node:fs', 'node:path']) {
      expect(await record(cache, { NODE_OPTIONS: `--require=${preloaded}` })).toMatchObject(succeeded);
    }
    expect(fs.readdirSync(folder), 'options that are none of V8 share one').toHaveLength(3);
    for (const name of fs.readdirSync(folder)) {
      const file = path.join(folder, name);
      if (fs.statSync(file).ino !== ino) fs.rmSync(file);
    }
    fs.writeFileSync(onlyFile(folder), content.fill(7, 100));
    expect(await record(cache)).toMatchObject(succeeded);
    expect(fs.statSync(onlyFile(folder)).ino, 'a damaged cache is replaced').not.toBe(ino);
  });

  test('runs the new code after an edit of equal length', async () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'dist', 'package.json']) {
      fs.cpSync(path.join(projectRoot, name), path.join(folder, name), {
        recursive: true,
        filter: (file) => !file.endsWith('/studio'),
      });
    }
    fs.symlinkSync(path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules'));
    const command = path.join(folder, 'bin/tacho');
    expect((await record(folder, {}, [command])).stderr).toContain('succeeded');
    const bundle = path.join(folder, 'dist/record.cjs');
    const before = fs.readFileSync(bundle, 'utf8');
    fs.writeFileSync(bundle, before.replaceAll('nothing to run', 'NOTHING TO RUN'));
    const child = spawn(process.execPath, [command, 'run'], {
      env: { ...process.env, TACHO_HOME: path.join(folder, 'home'), XDG_CACHE_HOME: folder },
    });
    expect((await finished(child)).stderr).toContain('NOTHING TO RUN');
  });

  test('leaves one complete file after many concurrent starts on an empty cache', async () => {
    const cache = temporaryFolder();
    const all = await Promise.all(Array.from({ length: 4 }, () => record(cache)));
    for (const each of all) expect(each).toMatchObject(succeeded);
    expect(fs.readdirSync(path.join(cache, 'tacho/code'))).toHaveLength(1);
    expect(await record(cache)).toMatchObject(succeeded);
  });

  test('keeps the code of a killed server, in a form that V8 accepts', async () => {
    const cache = temporaryFolder();
    const folder = path.join(cache, 'tacho/code');
    const server = spawn(process.execPath, [tachoCommand, 'start', '--port', '0'], {
      env: { ...process.env, TACHO_HOME: path.join(cache, 'home'), XDG_CACHE_HOME: cache },
    });
    const ended = finished(server);
    const name = await until(
      () => fs.existsSync(folder) && fs.readdirSync(folder).find((each) => /-start$/.test(each)),
    );
    server.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL', stdout: expect.stringContaining('ready at') });
    // V8 compares only the length of the source. In another process, because this one has the flags of the test runner.
    const script = `
      const cachedData = fs.readFileSync(process.argv[1]).subarray(32);
      const bytes = fs.statSync(process.argv[2]).size + '(function (exports, require, module, __filename, __dirname) {\\n})'.length;
      console.log(new vm.Script(' '.repeat(bytes), { cachedData }).cachedDataRejected);`;
    const bundle = path.join(projectRoot, 'dist/cli.cjs');
    const check = spawn(process.execPath, ['-e', script, path.join(folder, name), bundle]);
    expect(await finished(check)).toMatchObject({ code: 0, stdout: 'false\n' });
  });

  test('works if the cache folder cannot be created', async () => {
    const cache = temporaryFolder();
    fs.writeFileSync(path.join(cache, 'file'), '');
    expect(await record(cache, { XDG_CACHE_HOME: path.join(cache, 'file') })).toMatchObject(succeeded);
    expect(await record(cache, { XDG_CACHE_HOME: '/proc' })).toMatchObject(succeeded);
  });
});

function onlyFile(folder: string): string {
  const [name, ...more] = fs.readdirSync(folder);
  expect(more).toEqual([]);
  return path.join(folder, name!);
}

function modeOf(file: string): number {
  return fs.statSync(file).mode & 0o777;
}
