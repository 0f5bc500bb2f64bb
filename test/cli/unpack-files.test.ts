import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type FilesToUnpack, unpackFiles, unpackPlaces } from '../../src/cli/unpack-files.ts';
import { temporaryFolder } from '../support/tacho.ts';

const CONTENTS: Record<string, string> = { 'one/index.js': 'module.exports = 1;', 'two.node': 'native' };
const WANTED: FilesToUnpack = {
  hash: 'abc123',
  files: Object.entries(CONTENTS).map(([name, text]) => ({ path: name, bytes: text.length })),
  read: (name) => Buffer.from(CONTENTS[name]!),
};

function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.keys(CONTENTS).map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
  );
}

test('files are unpacked once, readable only by the user', () => {
  const place = path.join(temporaryFolder(), 'deep', 'cache');
  const folder = unpackFiles(WANTED, [place]);
  expect(folder).toBe(path.join(place, 'abc123'));
  expect(contentsOf(folder)).toEqual(CONTENTS);
  expect(fs.statSync(place).mode & 0o777).toBe(0o700);
  expect(fs.statSync(path.join(folder, 'two.node')).mode & 0o777).toBe(0o600);
  const never = { ...WANTED, read: () => expect.unreachable('they are there already') };
  expect(unpackFiles(never, [place])).toBe(folder);
  expect(fs.readdirSync(place)).toEqual(['abc123']);
});

test('a folder with a missing, truncated or linked file is unpacked again', () => {
  const place = path.join(temporaryFolder(), 'cache');
  const folder = unpackFiles(WANTED, [place]);
  const damages: ((file: string) => void)[] = [
    (file) => fs.rmSync(file),
    (file) => fs.truncateSync(file, 3),
    (file) => {
      fs.renameSync(file, path.join(place, '..', 'elsewhere'));
      fs.symlinkSync(path.join(place, '..', 'elsewhere'), file);
    },
  ];
  for (const damage of damages) {
    damage(path.join(folder, 'two.node'));
    expect(contentsOf(unpackFiles(WANTED, [place]))).toEqual(CONTENTS);
    expect(fs.readdirSync(place)).toEqual(['abc123']);
  }
});

test('a folder that others can write to, or that is a link, is never used; the next one is', () => {
  const folder = temporaryFolder();
  const [open, linked, good] = ['open', 'linked', 'good'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  fs.mkdirSync(open);
  fs.chmodSync(open, 0o777);
  fs.symlinkSync(folder, linked);
  expect(unpackFiles(WANTED, [open, linked, good])).toBe(path.join(good, 'abc123'));
  expect(fs.readdirSync(open)).toEqual([]);
});

test('if no folder is usable, all are named with the reason', () => {
  const places = ['/proc/tacho-cache', '/dev/null/tacho'];
  expect(() => unpackFiles(WANTED, places)).toThrow(
    expect.objectContaining({
      code: 'PLATFORM_UNSUPPORTED',
      message: expect.stringMatching(/\/proc\/tacho-cache.*\/dev\/null\/tacho/),
      fix: expect.stringContaining('XDG_CACHE_HOME'),
    }),
  );
});

test('the user’s cache folder comes before the temporary folder', () => {
  const [first, second] = unpackPlaces({ XDG_CACHE_HOME: '/somewhere' });
  expect(first).toBe('/somewhere/tacho');
  expect(second).toMatch(new RegExp(`/tacho-${process.getuid!()}$`));
});
