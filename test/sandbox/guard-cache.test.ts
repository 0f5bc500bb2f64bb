import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuardCache } from '../../src/sandbox/guard-cache.ts';
import { proofSize } from '../support/proof-size.ts';
import { temporaryFolder } from '../support/tacho.ts';

const relative = (root: string, found: string[]) => found.map((item) => path.relative(root, item)).sort();

/** The change time of a folder cannot be set, so this waits until it is old enough to be trusted. */
async function untilSettled(cache: GuardCache): Promise<void> {
  await expect
    .poll(() => {
      cache.find();
      return cache.reads;
    })
    .toBe(0);
}

test('a search without news reads no folder', async () => {
  const root = temporaryFolder();
  const count = proofSize({ small: 200, full: 2000 });
  for (let index = 0; index < count; index++)
    fs.mkdirSync(path.join(root, `a${index % 10}/b${index}`), { recursive: true });
  const cache = new GuardCache(root);
  expect(cache.find()).toEqual({ hidden: [], repositories: [], folders: count + 11, complete: true });
  expect(cache.reads).toBe(count + 11);
  await untilSettled(cache);
  fs.mkdirSync(path.join(root, 'a3/b13/.git'));
  expect(relative(root, cache.find().repositories)).toEqual(['a3/b13/.git']);
  expect(cache.reads).toBe(1);
});

test('whatever changes, and however its times are set, is found by the next search', async () => {
  const root = temporaryFolder();
  const at = (name: string) => path.join(root, name);
  fs.mkdirSync(at('a/b/c'), { recursive: true });
  fs.mkdirSync(at('elsewhere/repository/.git'), { recursive: true });
  const cache = new GuardCache(at('a'));
  await untilSettled(cache);
  fs.mkdirSync(at('a/b/c/.git'));
  fs.utimesSync(at('a/b/c'), 1, 1);
  expect(relative(root, cache.find().repositories)).toEqual(['a/b/c/.git']);
  // A folder with a repository takes the place of another one.
  fs.mkdirSync(at('a/b/d'));
  await untilSettled(cache);
  fs.rmdirSync(at('a/b/d'));
  fs.renameSync(at('elsewhere/repository'), at('a/b/d'));
  expect(relative(root, cache.find().repositories)).toEqual(['a/b/c/.git', 'a/b/d/.git']);
  fs.rmSync(at('a/b/c/.git'), { recursive: true });
  expect(relative(root, cache.find().repositories)).toEqual(['a/b/d/.git']);
});

test('a link is not followed', () => {
  const root = temporaryFolder();
  fs.mkdirSync(path.join(root, 'out/inner/.git'), { recursive: true });
  fs.mkdirSync(path.join(root, 'in'));
  fs.symlinkSync('../out', path.join(root, 'in/link'));
  expect(new GuardCache(path.join(root, 'in')).find()).toMatchObject({ repositories: [], folders: 1 });
});

test('folders of tacho, data folders and bare repositories are found', () => {
  const root = temporaryFolder();
  for (const name of ['x/.tacho', 'data/keys', 'bare/objects', 'bare/refs', 'node_modules/m/.git'])
    fs.mkdirSync(path.join(root, name), { recursive: true });
  for (const name of ['data/keys/seal.ed25519.pem', 'bare/HEAD']) fs.writeFileSync(path.join(root, name), '');
  const { hidden, repositories } = new GuardCache(root).find();
  expect(relative(root, hidden)).toEqual(['data', 'x/.tacho']);
  expect(relative(root, repositories)).toEqual(['bare']);
});

test('a search that does not reach every folder says so', () => {
  const root = temporaryFolder();
  for (let index = 0; index < 10; index++) fs.mkdirSync(path.join(root, String(index)));
  expect(new GuardCache(root, 5).find()).toMatchObject({ folders: 5, complete: false });
  expect(new GuardCache(root, 11).find()).toMatchObject({ folders: 11, complete: true });
});

test('after any sequence of changes a cached search finds what a new one finds', () => {
  const names = fc.constantFrom('a', 'b', 'c', '.git', '.tacho');
  const place = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const change = fc.record({ kind: fc.constantFrom('make', 'remove', 'rename', 'write'), from: place, to: place });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const root = fs.mkdtempSync(path.join(fs.realpathSync(process.env.TMPDIR ?? '/tmp'), 'tacho-guard-'));
      try {
        const cache = new GuardCache(root);
        for (const { kind, from, to } of changes) {
          apply(root, kind, from, to);
          expect(cache.find()).toEqual(new GuardCache(root).find());
        }
      } finally {
        fs.rmSync(root, { recursive: true });
      }
    }),
    { numRuns: proofSize({ small: 60, full: 2000 }) },
  );
});

function apply(root: string, kind: string, from: string, to: string): void {
  const [source, target] = [path.join(root, from), path.join(root, to)];
  try {
    if (kind === 'make') fs.mkdirSync(source, { recursive: true });
    else if (kind === 'remove') fs.rmSync(source, { recursive: true });
    else if (kind === 'rename') fs.renameSync(source, target);
    else fs.writeFileSync(source, '');
  } catch {
    // Impossible in this order.
  }
}
