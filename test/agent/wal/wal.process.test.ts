import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listAgentRuns, openRecordedRun, openWal, Vault, type Wal } from '../../../src/agent/wal/index.ts';
import { startFile } from '../../journal/workspace.ts';
import { proofSize } from '../../support/proof-size.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { collect, emptyWorkspace, message, messages, newWal, RUN, resumedWal, textOf } from './workspace.ts';

function start(name: string, ...args: string[]) {
  return startFile(fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url)), args);
}

/** Every event verifies, and the vault has everything they name. */
async function checkWhole(wal: Wal): Promise<number> {
  let events = 0;
  for await (const event of wal.read()) {
    expect(event.seq).toBe(++events);
    const { exact } = event.data as { exact?: string };
    if (exact !== undefined) expect(wal.vault.getJson<string>(exact).startsWith(textOf(event))).toBe(true);
  }
  expect(events).toBe(wal.lastSeq);
  return events;
}

test('a writer killed at any moment leaves every acknowledged event, and every content that events name', async () => {
  const workspace = emptyWorkspace();
  await (await newWal(workspace)).close();
  for (let round = 0; round < proofSize({ small: 20, full: 200 }); round++) {
    const writer = start('append-forever', workspace, RUN);
    let acknowledged = 0;
    for (let left = 1 + Math.floor(Math.random() * 40); left > 0; left--) {
      acknowledged = Number(await writer.nextLine());
    }
    // Not always right after an acknowledgement.
    for (let spins = Math.random() * 2_000_000; spins > 0; spins--);
    writer.child.kill('SIGKILL');
    await writer.exited;
    for (let line = await writer.nextLine(); line !== null; line = await writer.nextLine()) acknowledged = Number(line);
    const wal = await resumedWal(workspace);
    expect(wal.lastSeq).toBeGreaterThanOrEqual(acknowledged);
    // Reading everything each time would make the rounds longer and longer.
    if (round % 10 === 9) await checkWhole(wal);
    await wal.close();
  }
});

test('of two processes that open one run, one gets it, and the other learns its pid', async () => {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace);
  await wal.append(message('a'));
  await wal.close();
  const programs = [start('hold-run', workspace, RUN), start('hold-run', workspace, RUN)];
  const said = await Promise.all(programs.map((program) => program.nextLine()));
  const holder = programs[said.findIndex((line) => line!.startsWith('held'))]!;
  expect(said.toSorted()).toEqual([`RUN_LOCKED ${holder.child.pid}`, `held ${holder.child.pid}`]);
  await expect(resumedWal(workspace)).rejects.toMatchObject({ code: 'RUN_LOCKED', facts: { pid: holder.child.pid } });
  expect(await listAgentRuns(workspace)).toMatchObject([{ run_id: RUN, held: true }]);
  holder.child.stdin!.end();
  await holder.exited;
  expect((await resumedWal(workspace)).lastSeq).toBe(1);
});

test('a full disk is an error, tears nothing, and the run continues once there is room', async () => {
  const disk = smallDisk('256k');
  const wal = await newWal(disk);
  const text = 'x'.repeat(3000);
  let appended = 0;
  let failure: unknown = null;
  while (failure === null) {
    const { size } = statSync(wal.locator);
    await wal.append([message(text), message(text)], { durable: appended % 8 === 0 }).then(
      () => {
        appended += 2;
      },
      (error) => {
        failure = error;
        expect(statSync(wal.locator).size).toBe(size);
      },
    );
  }
  expect(failure).toMatchObject({ code: 'DISK_FULL' });
  expect(() => wal.vault.put(Buffer.alloc(100_000))).toThrow(expect.objectContaining({ code: 'DISK_FULL' }));
  await expect(wal.append(messages(200))).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(await checkWhole(wal)).toBe(appended);

  execFileSync('mount', ['-o', 'remount,size=2m', disk]);
  const exact = wal.vault.putJson('after');
  await wal.append({ ...message('after'), data: { text: 'after', origin: 'send', when: 'now', exact } });
  await wal.close();
  const again = await resumedWal(disk);
  expect(again.repaired).toBe(null);
  expect(await checkWhole(again)).toBe(appended + 1);
});

test('no room for a new run is an error', async () => {
  const disk = smallDisk('64k');
  writeFileSync(join(disk, 'filler'), Buffer.alloc(60 * 1024));
  await expect(newWal(disk)).rejects.toMatchObject({ code: 'DISK_FULL' });
});

test('pipes in place of files are never waited for', async () => {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace);
  await wal.append(message('a'));
  await wal.close();
  const runs = join(workspace, '.tacho/runs');
  mkdirSync(join(runs, 'piped'));
  for (const pipe of ['a-pipe', 'piped/events.jsonl', 'piped/vault', 'piped/lock.1']) {
    execFileSync('mkfifo', [join(runs, pipe)]);
  }
  expect(await listAgentRuns(workspace)).toMatchObject([
    { run_id: RUN, problem: null },
    { run_id: 'piped', problem: 'the log cannot be read (EINVAL)' },
  ]);
  await expect(openWal({ workspaceRoot: workspace, runId: 'piped', create: false })).rejects.toThrow();
  expect(() => openRecordedRun(join(runs, 'piped/events.jsonl'))).toThrow(
    expect.objectContaining({ code: 'VAULT_DAMAGED' }),
  );
  for (const part of ['vault', 'head', 'events.jsonl']) {
    const whole = readFileSync(join(wal.folder, part));
    execFileSync('rm', [join(wal.folder, part)]);
    execFileSync('mkfifo', [join(wal.folder, part)]);
    await expect(resumedWal(workspace), part).rejects.toThrow();
    execFileSync('rm', [join(wal.folder, part)]);
    writeFileSync(join(wal.folder, part), whole, { mode: 0o600 });
  }
  expect(await collect((await resumedWal(workspace)).read())).toHaveLength(1);
  expect(() => Vault.openToRead(join(runs, 'a-pipe'))).toThrow();
});

test('git status stays clean', async () => {
  const workspace = emptyWorkspace();
  const git = (...args: string[]) => execFileSync('git', ['-C', workspace, ...args], { encoding: 'utf8' });
  git('init', '-q');
  await newWal(workspace);
  expect(existsSync(join(workspace, '.tacho/runs', RUN))).toBe(true);
  expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
});
