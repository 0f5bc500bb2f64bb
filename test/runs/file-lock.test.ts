import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../src/journal/index.ts';
import { withFileLock } from '../../src/runs/file-lock.ts';
import { finished, projectRoot, temporaryFolder } from '../support/tacho.ts';

const newLock = () => path.join(temporaryFolder(), 'some/folder/lock');
const DEAD = { ...ownIdentity(), start_time: '1' };

function placeHolder(file: string, holder: object | string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof holder === 'string' ? holder : JSON.stringify(holder));
}

/** Nothing may stay behind in a home that engines look into. */
function left(file: string): string[] {
  return fs.readdirSync(path.dirname(file));
}

describe('withFileLock', () => {
  test('gives back what the work gives, and leaves nothing behind', async () => {
    const file = newLock();
    const inside = await withFileLock(file, () => JSON.parse(fs.readFileSync(file, 'utf8')));
    expect(inside).toEqual(ownIdentity());
    expect(left(file)).toEqual([]);
  });

  test('is private to the user, as the folder it makes', async () => {
    const file = newLock();
    const modes = await withFileLock(file, () =>
      [file, path.dirname(file)].map((name) => fs.statSync(name).mode & 0o777),
    );
    expect(modes).toEqual([0o600, 0o700]);
  });

  test('is given back when the work fails', async () => {
    const file = newLock();
    const failing = withFileLock(file, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(left(file)).toEqual([]);
  });

  test('keeps two pieces of work of one process apart, also when they take their time', async () => {
    const file = newLock();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
    };
    await Promise.all([withFileLock(file, work('one')), withFileLock(file, work('other'))]);
    expect(steps).toEqual(['one begins', 'one ends', 'other begins', 'other ends']);
  });

  test('waits for a live holder, and then names it', async () => {
    const file = newLock();
    placeHolder(file, ownIdentity());
    await expect(withFileLock(file, () => 'never', { waitMs: 60 })).rejects.toMatchObject({
      code: 'ENGINE_BUSY',
      facts: { path: file, pid: process.pid },
    });
    expect(left(file)).toEqual(['lock']);
  });

  test('does not take a lock for dead that it cannot read', async () => {
    const file = newLock();
    placeHolder(file, 'something else');
    await expect(withFileLock(file, () => 'never', { waitMs: 0 })).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
    expect(fs.readFileSync(file, 'utf8')).toBe('something else');
  });

  test.each([
    ['a process that is gone', DEAD],
    ['a process of before the machine was started again', { ...ownIdentity(), boot_id: 'another' }],
  ])('takes over the lock of %s', async (_who, holder) => {
    const file = newLock();
    placeHolder(file, holder);
    expect(await withFileLock(file, () => 'done', { waitMs: 0 })).toBe('done');
    expect(left(file)).toEqual([]);
  });

  test('takes over where somebody died while taking over', async () => {
    const file = newLock();
    placeHolder(file, DEAD);
    placeHolder(`${file}.dead`, { ...DEAD, start_time: '2' });
    placeHolder(`${file}.dead.dead`, { ...DEAD, start_time: '3' });
    expect(await withFileLock(file, () => 'done')).toBe('done');
    expect(left(file)).toEqual([]);
  });

  test('leaves it to a live process that is taking over', async () => {
    const file = newLock();
    placeHolder(file, DEAD);
    placeHolder(`${file}.dead`, ownIdentity());
    await expect(withFileLock(file, () => 'never', { waitMs: 0 })).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
    expect(left(file).sort()).toEqual(['lock', 'lock.dead']);
  });

  test('lets one process in at a time, while holders die again and again', async () => {
    const folder = temporaryFolder();
    const program = path.join(folder, 'contend.mts');
    fs.writeFileSync(program, CONTEND);
    fs.writeFileSync(path.join(folder, 'dead'), JSON.stringify(DEAD));
    const start = (role: string) =>
      finished(spawn(process.execPath, ['--import', 'tsx', program, folder, role], { cwd: projectRoot }));
    const results = await Promise.all(['dies', 'works', 'works', 'works'].map(start));
    for (const { code, stderr } of results) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const turns = results.slice(1).map(({ stdout }) => JSON.parse(stdout) as { turns: number; together: number });
    expect(turns).toEqual(Array(3).fill({ turns: 150, together: 0 }));
    // Each turn read the number and wrote the next one, so none was lost.
    expect(fs.readFileSync(path.join(folder, 'count'), 'utf8')).toBe('450');
  });
});

/** One process places the lock of a dead one whenever there is none; the others work under the lock, 150 times each. */
const CONTEND = `
import fs from 'node:fs';
import { withFileLock } from ${JSON.stringify(path.join(projectRoot, 'src/runs/file-lock.ts'))};
const [folder, role] = process.argv.slice(2);
const at = (name) => folder + '/' + name;
const done = () => fs.readdirSync(folder).filter((name) => name.startsWith('done.')).length === 3;
if (role === 'dies') {
  while (!done()) {
    try { fs.linkSync(at('dead'), at('lock')); } catch { /* There is a lock. */ }
  }
} else {
  let together = 0;
  let turns = 0;
  for (; turns < 150; turns++) {
    await withFileLock(at('lock'), () => {
      try { fs.closeSync(fs.openSync(at('inside'), 'wx')); } catch { together++; }
      const count = fs.existsSync(at('count')) ? Number(fs.readFileSync(at('count'), 'utf8')) : 0;
      fs.writeFileSync(at('count'), String(count + 1));
      fs.rmSync(at('inside'), { force: true });
    }, { waitMs: 30_000 });
  }
  fs.writeFileSync(at('done.' + process.pid), '');
  console.log(JSON.stringify({ turns, together }));
}
`;
