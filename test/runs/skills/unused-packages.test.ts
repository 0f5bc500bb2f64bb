import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { removeRun } from '../../../src/runs/service/prune.ts';
import { queueRun } from '../../../src/runs/service/queue-attempt.ts';
import { readTakenPackage } from '../../../src/runs/skills/taken-package.ts';
import { removeUnusedPackages } from '../../../src/runs/skills/unused-packages.ts';
import { temporaryFolder } from '../../skills/skill-folder.ts';
import { plainSkill, skilled } from './skilled.ts';

const NONE = { count: 0, bytes: 0, unreadable: [] };
const HOUR_MS = 3_600_000;

/** A data folder with two skills; runs of the demo agent are queued in it. */
function folder() {
  const box = skilled({ one: plainSkill('one'), two: plainSkill('two') });
  const { home } = box.context;
  const packages = path.join(home.root, 'packages');
  const accept = (skill: string) => box.take({ engine: 'demo', skill, environment: 'isolated' });
  return {
    ...box,
    home,
    packages,
    accept,
    queue: async (skill: string) => {
      const request = await accept(skill);
      const { folder: run } = await queueRun(request, box.context);
      return { runId: run.runId, path: run.path, sha256: request.packages![0]!.sha256 };
    },
    kept: () => fs.readdirSync(packages).sort(),
  };
}

/** As if it had been kept that long ago. */
function age(entry: string, ms = 2 * HOUR_MS): void {
  const then = new Date(Date.now() - ms);
  fs.lutimesSync(entry, then, then);
}

describe('packages of skills', () => {
  test('stay while a run refers to them, and are removed with the last one', async () => {
    const { home, packages, queue, kept, context } = folder();
    const [first, second, other] = [await queue('one'), await queue('one'), await queue('two')];
    expect(first.sha256).toBe(second.sha256);
    for (const name of kept()) age(path.join(packages, name));
    expect(await removeUnusedPackages(home)).toEqual(NONE);
    await removeRun(first.runId, context);
    expect(await removeUnusedPackages(home)).toEqual(NONE);
    await removeRun(second.runId, context);
    const bytes = fs.statSync(path.join(packages, first.sha256, 'SKILL.md')).size;
    expect(await removeUnusedPackages(home, { dryRun: true })).toEqual({ count: 1, bytes, unreadable: [] });
    expect(kept()).toHaveLength(2);
    expect(await removeUnusedPackages(home)).toEqual({ count: 1, bytes, unreadable: [] });
    expect(kept()).toEqual([other.sha256]);
  });

  test('of runs that are about to be removed count as unused in a dry run', async () => {
    const { home, packages, queue } = folder();
    const { runId, sha256 } = await queue('one');
    age(path.join(packages, sha256));
    expect(await removeUnusedPackages(home, { dryRun: true, without: new Set([runId]) })).toMatchObject({ count: 1 });
    expect(fs.existsSync(path.join(packages, sha256))).toBe(true);
  });

  test('are kept for an hour without a run, and for another one when they are kept again', async () => {
    const { home, packages, accept, kept } = folder();
    const { packages: [entry] = [] } = await accept('one');
    const place = path.join(packages, entry!.sha256);
    age(place, HOUR_MS - 60_000);
    expect(await removeUnusedPackages(home)).toEqual(NONE);
    age(place);
    await accept('one');
    expect(await removeUnusedPackages(home)).toEqual(NONE);
    age(place);
    expect(await removeUnusedPackages(home)).toMatchObject({ count: 1 });
    expect(kept()).toEqual([]);
  });

  test('of a run that is accepted during the search stay', async () => {
    const { home, packages, accept, context } = folder();
    const { packages: [entry] = [] } = await accept('one');
    for (let round = 0; round < 50; round++) {
      age(path.join(packages, entry!.sha256));
      // Both begin with the package as old and unused; either one may come first.
      const removing = removeUnusedPackages(home);
      const accepting = accept('one');
      await Promise.all(round % 2 ? [removing, accepting] : [accepting, removing]);
      await readTakenPackage(entry!, context);
    }
  });

  test('stay while the record of a run cannot be read', async () => {
    const { home, packages, queue, accept, context } = folder();
    const { packages: [entry] = [] } = await accept('one');
    age(path.join(packages, entry!.sha256));
    const run = await queue('two');
    const record = path.join(run.path, '.run.json');
    const text = fs.readFileSync(record);
    fs.rmSync(record);
    fs.symlinkSync('/dev/zero', record);
    expect(await removeUnusedPackages(home)).toEqual({ ...NONE, unreadable: [run.runId.slice(-8)] });
    fs.rmSync(record);
    age(run.path);
    expect(await removeUnusedPackages(home)).toMatchObject({ unreadable: [run.runId.slice(-8)] });
    // A run that has no record yet has just been accepted, and so have its packages.
    age(run.path, 0);
    expect(await removeUnusedPackages(home, { dryRun: true })).toMatchObject({ count: 1, unreadable: [] });
    fs.writeFileSync(record, text);
    expect(await removeUnusedPackages(home)).toMatchObject({ count: 1 });
    expect(context.home.root).toBe(home.root);
  });

  test('are not looked for behind a link', async () => {
    const { home, packages } = folder();
    const elsewhere = temporaryFolder();
    const store = path.join(elsewhere, 'a'.repeat(64));
    fs.mkdirSync(store);
    age(store);
    fs.symlinkSync(elsewhere, packages);
    expect(await removeUnusedPackages(home)).toEqual(NONE);
    expect(fs.existsSync(store)).toBe(true);
    fs.rmSync(packages);
    fs.writeFileSync(packages, '');
    expect(await removeUnusedPackages(home)).toEqual(NONE);
  });

  test('that are links, files or hold links are removed without following them', async () => {
    const { home, packages, accept, kept } = folder();
    await accept('one');
    const elsewhere = temporaryFolder();
    fs.writeFileSync(path.join(elsewhere, 'precious.txt'), 'x'.repeat(1000));
    const names = ['b', 'c', 'd'].map((letter) => path.join(packages, letter.repeat(64)));
    const [link, file, inside] = names as [string, string, string];
    fs.symlinkSync(elsewhere, link);
    fs.writeFileSync(file, 'not a folder');
    fs.mkdirSync(path.join(inside, 'assets'), { recursive: true });
    fs.symlinkSync(elsewhere, path.join(inside, 'assets/more'));
    fs.writeFileSync(path.join(inside, 'SKILL.md'), '12345');
    for (const name of names) age(name);
    for (const foreign of ['notes.txt', 'e'.repeat(63), 'F'.repeat(64)]) {
      fs.writeFileSync(path.join(packages, foreign), '');
      age(path.join(packages, foreign));
    }
    expect(await removeUnusedPackages(home)).toEqual({ count: 3, bytes: 5, unreadable: [] });
    expect(kept()).toEqual([...['notes.txt', 'e'.repeat(63), 'F'.repeat(64)], ...kept().filter(isRecent)].sort());
    expect(fs.readFileSync(path.join(elsewhere, 'precious.txt'), 'utf8')).toHaveLength(1000);
  });
});

const isRecent = (name: string) => /^[0-9a-f]{64}$/.test(name);
