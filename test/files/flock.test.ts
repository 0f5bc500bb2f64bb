import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isFlocked, lockDescriptor, pollUntil, takeFlock, takeFolderFlock } from '../../src/files/index.ts';
import { builtText } from '../support/program.ts';
import { finished, projectRoot, temporaryFolder } from '../support/tacho.ts';

const newLock = () => path.join(temporaryFolder(), 'lock');
const module = JSON.stringify(path.join(projectRoot, 'src/files/index.ts'));

describe('takeFlock', () => {
  test('excludes a second holder until it is released, also within one process', () => {
    const file = newLock();
    const lock = takeFlock(file)!;
    expect(takeFlock(file)).toBeNull();
    expect(isFlocked(file)).toBe(true);
    lock.release();
    expect(isFlocked(file)).toBe(false);
    const next = takeFlock(file)!;
    // Releasing twice must not close a reused descriptor.
    lock.release();
    expect(takeFlock(file)).toBeNull();
    next.release();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('allows several shared holders, and none next to an exclusive one', () => {
    const file = newLock();
    const shared = [takeFlock(file, 'shared')!, takeFlock(file, 'shared')!];
    expect(isFlocked(file)).toBe(false);
    expect(takeFlock(file)).toBeNull();
    for (const lock of shared) lock.release();
    const exclusive = takeFlock(file)!;
    expect(takeFlock(file, 'shared')).toBeNull();
    exclusive.release();
  });

  test('detects a lock file that was deleted or replaced', () => {
    const file = newLock();
    const old = takeFlock(file)!;
    fs.rmSync(file);
    const fresh = takeFlock(file)!;
    expect(fs.fstatSync(fresh.fd).ino).toBe(fs.statSync(file).ino);
    old.release();
    expect(isFlocked(file)).toBe(true);
    fresh.release();
  });

  test('locks an open file until its descriptor is closed', () => {
    const file = newLock();
    const fd = fs.openSync(file, 'w');
    expect(lockDescriptor(fd)).toBe(true);
    expect(takeFlock(file)).toBeNull();
    fs.closeSync(fd);
    expect(isFlocked(file)).toBe(false);
    expect(isFlocked(`${file}.missing`)).toBe(false);
    expect(() => lockDescriptor(fd)).toThrow('EBADF');
  });

  test('does not follow a link', () => {
    const file = newLock();
    fs.symlinkSync(path.join(path.dirname(file), 'elsewhere'), file);
    expect(() => takeFlock(file)).toThrow('ELOOP');
    expect(fs.readdirSync(path.dirname(file))).toEqual(['lock']);
  });

  test('locks a folder without creating a file in it', () => {
    const folder = temporaryFolder();
    const lock = takeFolderFlock(folder)!;
    expect(takeFolderFlock(folder)).toBeNull();
    lock.release();
    takeFolderFlock(folder)!.release();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('is released by the kernel when its holder is killed, and is not inherited', async () => {
    const file = newLock();
    // The holder starts a program that outlives it.
    const holder = `import { takeFlock } from ${module}; import { spawn } from 'node:child_process';
      takeFlock(process.argv[2]); const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      console.log(left.pid); setInterval(() => {}, 1e9);`;
    const child = start(holder, file);
    const left = Number((await once(createInterface(child.stdout!), 'line'))[0]);
    onTestFinished(() => void process.kill(left, 'SIGKILL'));
    expect(isFlocked(file)).toBe(true);
    expect(takeFlock(file)).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await pollUntil(() => takeFlock(file), { everyMs: 5 });
    expect(lock).not.toBeNull();
    lock!.release();
  });

  test('excludes other processes', async () => {
    const folder = temporaryFolder();
    const turns = 50;
    const contender = `import { takeFlock, pollUntil } from ${module}; import fs from 'node:fs';
      const at = (name) => process.argv[2] + '/' + name;
      for (let turn = 0; turn < ${turns}; turn++) {
        const lock = await pollUntil(() => takeFlock(at('lock')), { everyMs: 1 });
        const count = fs.existsSync(at('count')) ? Number(fs.readFileSync(at('count'), 'utf8')) : 0;
        fs.writeFileSync(at('count'), String(count + 1));
        lock.release();
      }`;
    const results = await Promise.all([1, 2, 3].map(() => finished(start(contender, folder))));
    for (const { code, stderr } of results) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Each turn incremented the number, and none was lost.
    expect(fs.readFileSync(path.join(folder, 'count'), 'utf8')).toBe(String(3 * turns));
  });
});

function start(text: string, argument: string) {
  return spawn(process.execPath, [builtText(text), argument]);
}

test('koffi is loaded only when a lock is first taken', async () => {
  const program = `import { takeFlock } from ${module};
    const loaded = () => process.report.getReport().sharedObjects.some((name) => name.includes('koffi'));
    const before = loaded(); takeFlock(process.argv[2]); console.log(before, loaded()); process.exit();`;
  const { stdout, stderr } = await finished(start(program, newLock()));
  expect({ stdout, stderr }).toEqual({ stdout: 'false true\n', stderr: '' });
});
