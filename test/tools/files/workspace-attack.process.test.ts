import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolFailure, WorkspaceFiles } from '../../../src/tools/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { finished, until } from '../../support/tacho.ts';
import { workspaceWith } from '../tool-context.ts';

/** Runs a program that changes the workspace without a pause, until the test ends. */
async function attack(cwd: string, program: string): Promise<ChildProcess> {
  const source = `const fs = require('node:fs');
    const quietly = (work) => { try { work(); } catch {} };
    fs.writeFileSync('started', '');
    for (;;) { ${program} }`;
  const child = spawn(process.execPath, ['-e', source], { cwd, stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await finished(child);
  });
  await until(() => fs.existsSync(path.join(cwd, 'started')));
  return child;
}

/** `folder` is in turn a folder of the workspace and a link to the outside. */
const SWAP_FOLDER = `
  quietly(() => fs.renameSync('folder', 'kept'));
  quietly(() => fs.symlinkSync('../outside', 'folder'));
  quietly(() => fs.unlinkSync('folder'));
  quietly(() => fs.renameSync('kept', 'folder'));
`;

const SWAP_FILE = `
  quietly(() => { fs.symlinkSync('../outside/secret.txt', 'link.tmp'); fs.renameSync('link.tmp', 'folder/secret.txt'); });
  quietly(() => { fs.writeFileSync('file.tmp', 'inside'); fs.renameSync('file.tmp', 'folder/secret.txt'); });
`;

const rounds = proofSize({ small: 600, full: 20_000 });

describe('workspace files under attack', () => {
  it.each([
    ['a folder is swapped for a link', SWAP_FOLDER],
    ['a file is swapped for a link', SWAP_FILE],
  ])('never leave the workspace while %s', async (_, program) => {
    const root = workspaceWith({ 'folder/secret.txt': 'inside' });
    const outside = path.join(root, '../outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'secret.txt'), 'SECRET');
    const files = new WorkspaceFiles(root);
    await attack(root, program);
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
        count(`${what} ok`);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        count(`${what} ${error.kind}`);
      }
    };
    for (let round = 0; round < rounds; round++) {
      await attempt('read', async () => {
        const { bytes } = await files.read('folder/secret.txt');
        expect(bytes.toString()).not.toBe('SECRET');
      });
      await attempt('write', () => files.write(`folder/new-${round % 10}/a.txt`, 'WRITTEN'));
      await attempt('replace', () => files.write('folder/secret.txt', 'inside'));
      await attempt('remove', () => files.remove(`folder/new-${round % 10}/a.txt`));
      await attempt('list', async () => {
        for await (const entry of files.walk('folder')) expect(entry.path).not.toMatch(/^\.\./);
      });
    }
    // Both sides of the race were met.
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['read ok', 'write ok', 'replace ok']));
    expect(fs.readdirSync(outside)).toEqual(['secret.txt']);
    expect(fs.readFileSync(path.join(outside, 'secret.txt'), 'utf8')).toBe('SECRET');
  });

  it('refuse pipes, sockets and devices without waiting', async () => {
    const root = workspaceWith();
    expect(spawnSync('mkfifo', [path.join(root, 'pipe')]).status).toBe(0);
    const server = net.createServer().listen(path.join(root, 'socket'));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    await until(() => fs.existsSync(path.join(root, 'socket')));
    const files = new WorkspaceFiles(root);
    for (const name of ['pipe', 'socket']) {
      await expect(files.read(name), name).rejects.toMatchObject({ kind: 'not_permitted' });
      await expect(files.write(name, 'x'), name).rejects.toMatchObject({ kind: 'conflict' });
    }
    expect((await files.list('.')).map(({ path: name, type }) => [name, type])).toEqual([
      ['pipe', 'other'],
      ['socket', 'other'],
    ]);
    fs.symlinkSync('/dev/zero', path.join(root, 'device'));
    await expect(files.read('device')).rejects.toMatchObject({ kind: 'path_outside' });
  });
});
