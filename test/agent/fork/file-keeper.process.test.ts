import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileKeeper } from '../../../src/agent/run/file-keeper.ts';
import type { FileKeeper } from '../../../src/agent/run/toolbox.ts';
import { Vault } from '../../../src/agent/wal/index.ts';
import { WorkspaceFiles } from '../../../src/tools/index.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function opened() {
  const root = temporaryFolder();
  const vault = Vault.openToWrite(path.join(temporaryFolder(), 'vault'), { create: true });
  onTestFinished(() => vault.close());
  return { root, vault, keeper: createFileKeeper({ vault, workspaceRoot: root }) };
}

async function changesBy(keeper: FileKeeper, work: () => unknown) {
  const call = await keeper.begin({ id: 'call', usesCommands: true });
  await work();
  return await call.end();
}

const sh = (root: string, command: string) => execFileSync('bash', ['-c', command], { cwd: root });

describe('the keeper', () => {
  it('reads only what has changed, and finds changes that hide', async () => {
    const { root, vault } = opened();
    const put: number[] = [];
    const counting = {
      put: (content: Uint8Array) => {
        put.push(content.length);
        return vault.put(content);
      },
    };
    const keeper = createFileKeeper({ vault: counting, workspaceRoot: root });
    for (let n = 0; n < 20; n++) fs.writeFileSync(path.join(root, `f${n}`), `${n}`.padStart(8));
    sh(root, 'touch -d 2001-01-01 *; sleep 0.05');
    expect(await changesBy(keeper, () => {})).toEqual({});
    put.length = 0;
    expect(await changesBy(keeper, () => {})).toEqual({});
    expect(put).toEqual([]);
    // The same size and the same time of change as before.
    const { files } = await changesBy(keeper, () => sh(root, 'printf changed! > f3; touch -d 2001-01-01 f3'));
    expect(files).toMatchObject([{ path: 'f3' }]);
    expect(vault.get(files![0]!.before!).toString()).toBe('       3');
    expect(vault.get(files![0]!.after!).toString()).toBe('changed!');
    expect(put).toEqual([8]);
  });

  it('tells apart two changes within one tick of the clock', async () => {
    const { root, keeper, vault } = opened();
    const file = path.join(root, 'a');
    fs.writeFileSync(file, '0000');
    for (let n = 1; n <= 50; n++) {
      const { files } = await changesBy(keeper, () => fs.writeFileSync(file, `${n}`.padStart(4, '0')));
      expect(vault.get(files![0]!.after!).toString()).toBe(`${n}`.padStart(4, '0'));
    }
  });

  it('does not attribute a change by a tool to the next command', async () => {
    const { root, keeper } = opened();
    await changesBy(keeper, () => {});
    const call = await keeper.begin({ id: 'write', usesCommands: false });
    await new WorkspaceFiles(root, { onChange: (change) => call.note(change) }).write('x/y/z.txt', 'z');
    expect((await call.end()).files).toMatchObject([
      { path: 'x', before: null, after_type: 'folder' },
      { path: 'x/y', before: null, after_type: 'folder' },
      { path: 'x/y/z.txt', before: null },
    ]);
    expect(await changesBy(keeper, () => {})).toEqual({});
  });

  it('keeps links, modes, folders and removals by tools', async () => {
    const { root, keeper, vault } = opened();
    fs.writeFileSync(path.join(root, 'run'), 'sh', { mode: 0o755 });
    fs.symlinkSync('run', path.join(root, 'link'));
    fs.mkdirSync(path.join(root, 'empty'));
    const call = await keeper.begin({ id: 'remove', usesCommands: false });
    const files = new WorkspaceFiles(root, { onChange: (change) => call.note(change) });
    for (const name of ['run', 'link', 'empty']) await files.remove(name);
    const changed = (await call.end()).files!;
    expect(changed).toMatchObject([
      { path: 'empty', before_type: 'folder', after: null },
      { path: 'link', before_type: 'link', after: null },
      { path: 'run', before_mode: 0o755, after: null },
    ]);
    expect(vault.get(changed[1]!.before!).toString()).toBe('run');
  });

  it('neither waits for nor follows what a command left behind', async () => {
    const { root, keeper } = opened();
    fs.writeFileSync(path.join(root, 'was'), 'a file');
    const outside = temporaryFolder();
    fs.writeFileSync(path.join(outside, 'secret'), 'outside');
    await changesBy(keeper, () => {});
    const { files, incomplete } = await changesBy(keeper, () =>
      sh(
        root,
        `mkfifo pipe; ln -s pipe to-pipe; ln -s . loop; ln -s self self; ln -s ${outside} out; ln -s /dev/zero zero
         rm was; ln -s ${outside}/secret was; truncate -s 1T sparse; mkdir -p .tacho/runs; echo x > .tacho/runs/y
         printf x > "$(printf 'bad\\xffname')"; printf x > $'new\\nline'; chmod 000 $'new\\nline'
         mkdir -p ${'d/'.repeat(100)}; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' || true`,
      ),
    );
    const byPath = new Map(files!.map((file) => [file.path, file]));
    expect(byPath.get('pipe')).toMatchObject({ after: null, after_lost: 'it is not a regular file' });
    expect(byPath.get('sparse')).toMatchObject({
      after: null,
      after_lost: expect.stringContaining('bytes, more than'),
    });
    expect(byPath.get('out')).toMatchObject({ after_type: 'link' });
    expect(byPath.get('was')).toMatchObject({ after_type: 'link', before: expect.any(String) });
    expect([...byPath.keys()].filter((name) => /secret|\.tacho|loop\//.test(name))).toEqual([]);
    expect(incomplete).toMatch(/not valid UTF-8/);
    expect(incomplete).toMatch(/64 folders deep/);
    expect(await changesBy(keeper, () => {})).toMatchObject({ incomplete: expect.any(String) });
  });

  it('survives a workspace that changes while it looks', async () => {
    const { root, keeper } = opened();
    const churn = spawn(
      'bash',
      ['-c', 'while :; do mkdir -p a/b; echo $RANDOM > a/b/c; ln -sfn a/b l; mv a z 2>/dev/null; rm -rf z l; done'],
      {
        cwd: root,
      },
    );
    try {
      for (let n = 0; n < 100; n++) await changesBy(keeper, () => {});
    } finally {
      churn.kill('SIGKILL');
      await new Promise((resolve) => churn.once('exit', resolve));
    }
    await changesBy(keeper, () => {});
    const { files } = await changesBy(keeper, () => fs.writeFileSync(path.join(root, 'after'), 'x'));
    expect(files!.map(({ path: name }) => name)).toContain('after');
  });

  it('names a vault that cannot be written, and lets the call succeed', async () => {
    const { root } = opened();
    const full = {
      put: () => {
        throw new Error('the disk is full');
      },
    };
    const keeper = createFileKeeper({ vault: full, workspaceRoot: root });
    const outcome = await changesBy(keeper, () => sh(root, 'echo x > a'));
    expect(outcome.incomplete).toContain('the disk is full');
    const call = await keeper.begin({ id: 'write', usesCommands: false });
    await new WorkspaceFiles(root, { onChange: (change) => call.note(change) }).write('b', 'b');
    expect((await call.end()).incomplete).toContain('the disk is full');
  });

  it('names a workspace that is gone', async () => {
    const { root, keeper } = opened();
    const outcome = await changesBy(keeper, () => fs.rmSync(root, { recursive: true }));
    expect(outcome.incomplete).toContain('could not be kept');
    expect((await changesBy(keeper, () => {})).incomplete).toContain('could not be kept');
  });
});
