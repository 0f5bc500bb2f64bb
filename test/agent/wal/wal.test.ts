import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openRecordedRun, openWal, walLocator } from '../../../src/agent/wal/index.ts';
import type { AgentDraft, AgentEvent } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { collect, emptyWorkspace, message, messages, newWal, RUN, resumedWal, textOf } from './workspace.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A run of some events, closed. */
async function finishedRun(count: number): Promise<{ workspace: string; log: string; events: AgentEvent[] }> {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace);
  const { events } = await wal.append(messages(count), { durable: true });
  await wal.close();
  return { workspace, log: wal.locator, events };
}

describe('the log of a run', () => {
  test('has one chained line for each event', async () => {
    const workspace = emptyWorkspace();
    const wal = await newWal(workspace);
    expect(wal.locator).toBe(join(workspace, '.tacho/runs', RUN, 'events.jsonl'));
    expect(walLocator(workspace, RUN)).toBe(wal.locator);
    await wal.append([message('first'), message('second')]);
    const head = `{"protocol_version":"agent/1.0","run_id":"${RUN}"`;
    const data = (text: string) =>
      `"ts":"2026-11-15T08:00:00.000Z","type":"user_message","data":{"text":"${text}","origin":"task","when":"now"}`;
    const first = `${head},"seq":1,${data('first')}`;
    const firstChain = sha256(`${sha256(`tacho-chain/1 ${RUN}`)}${first}}`);
    const second = `${head},"seq":2,${data('second')}`;
    expect(readFileSync(wal.locator, 'utf8')).toBe(
      `${first},"chain":"${firstChain}"}\n${second},"chain":"${sha256(`${firstChain}${second}}`)}"}\n`,
    );
  });

  test('returns the line of an event, counted from 0', async () => {
    const wal = await newWal(emptyWorkspace());
    expect((await wal.append(message('a'))).line).toBe(0);
    expect((await wal.append([message('b'), message('c')])).line).toBe(1);
    const { line, events } = await wal.append(message('d'), { durable: true });
    expect(line).toBe(3);
    expect(events).toEqual([JSON.parse(readFileSync(wal.locator, 'utf8').split('\n')[line]!)]);
    expect(await wal.append([])).toEqual({ line: 4, events: [] });
  });

  test('is private, and git ignores it', async () => {
    const workspace = emptyWorkspace();
    const wal = await newWal(workspace);
    wal.vault.put(Buffer.from('content'));
    await wal.append(message('a'), { durable: true });
    for (const folder of ['.tacho', '.tacho/runs', `.tacho/runs/${RUN}`, `.tacho/runs/${RUN}/artifacts`]) {
      expect(modeOf(join(workspace, folder)), folder).toBe(0o700);
    }
    const files = readdirSync(wal.folder).filter((name) => name !== 'artifacts');
    expect(files).toEqual(expect.arrayContaining(['events.jsonl', 'vault', 'head']));
    for (const file of files) expect(modeOf(join(wal.folder, file)), file).toBe(0o600);
    expect(readFileSync(join(workspace, '.tacho/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('leaves a .tacho folder that was there as it is', async () => {
    const workspace = emptyWorkspace();
    mkdirSync(join(workspace, '.tacho'));
    await newWal(workspace);
    expect(readdirSync(join(workspace, '.tacho'))).toEqual(['runs']);
    expect(readFileSync(join(workspace, '.tacho/runs/.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(join(workspace, '.tacho/runs/.gitignore'), 'mine');
    await newWal(workspace, { runId: 'run-2' });
    expect(readFileSync(join(workspace, '.tacho/runs/.gitignore'), 'utf8')).toBe('mine');
  });

  test('continues after it was closed', async () => {
    const { workspace, events } = await finishedRun(3);
    const wal = await resumedWal(workspace);
    expect(wal.lastSeq).toBe(3);
    expect((await wal.append(message('later'))).line).toBe(3);
    const all = await collect(wal.read());
    expect(all.slice(0, 3)).toEqual(events);
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test('writes events in the order of the calls, durable or not', async () => {
    const wal = await newWal(emptyWorkspace());
    const seen: number[] = [];
    const published = (async () => {
      for await (const { seq } of wal.subscribe()) seen.push(seq);
    })();
    const appends = Array.from({ length: 60 }, (_, index) =>
      wal.append(messages(1 + (index % 3)), { durable: index % 4 === 0 }),
    );
    const lines = (await Promise.all(appends)).map(({ line }) => line);
    expect(lines).toEqual(
      lines.map((_, index) => Array.from({ length: index }, (__, at) => 1 + (at % 3)).reduce((a, b) => a + b, 0)),
    );
    await wal.close();
    await published;
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  });

  test('keeps any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 100 }), { maxLength: 6 }), async (texts) => {
        const wal = await newWal(emptyWorkspace());
        await wal.append(texts.map((text) => message(text)));
        expect((await collect(wal.read())).map(textOf)).toEqual(texts);
        await wal.close();
      }),
      { numRuns: proofSize({ small: 10, full: 200 }) },
    );
  });

  test('refuses an event that readers would take for damage, and writes the next one', async () => {
    const wal = await newWal(emptyWorkspace());
    await expect(wal.append([message('a'), message('ü'.repeat(8 * 1024 * 1024))])).rejects.toMatchObject({
      code: 'RECORDING_FAILED',
    });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    await expect(wal.append({ ...message('a'), data: cycle } as unknown as AgentDraft)).rejects.toThrow();
    await wal.append(message('ü'.repeat(8 * 1024 * 1024 - 1024)));
    expect((await wal.append(message('b'))).line).toBe(1);
    expect((await collect(wal.read())).length).toBe(2);
  });

  test('is written by one process at a time', async () => {
    const workspace = emptyWorkspace();
    const wal = await newWal(workspace);
    await expect(resumedWal(workspace)).rejects.toMatchObject({ code: 'RUN_LOCKED', facts: { pid: process.pid } });
    await wal.close();
    await wal.close();
    await expect(wal.append(message('late'))).rejects.toMatchObject({ code: 'JOURNAL_FENCED' });
    await resumedWal(workspace);
  });

  test('is created once, resumed only if it is there, and has a safe id', async () => {
    const { workspace } = await finishedRun(1);
    await expect(newWal(workspace)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    await expect(resumedWal(workspace, { runId: 'other' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(resumedWal(emptyWorkspace())).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    for (const runId of ['', '.', '..', '../x', 'a/b', '.hidden', 'x'.repeat(129), 'a\0b', 'ü']) {
      await expect(openWal({ workspaceRoot: workspace, runId, create: true })).rejects.toMatchObject({
        code: 'INVALID_PARAMS',
      });
    }
  });

  test('follows no link to another folder', async () => {
    const elsewhere = emptyWorkspace();
    const { workspace: whole } = await finishedRun(1);
    for (const link of ['.tacho', '.tacho/runs', `.tacho/runs/${RUN}`]) {
      const workspace = emptyWorkspace();
      mkdirSync(dirname(join(workspace, link)), { recursive: true });
      symlinkSync(elsewhere, join(workspace, link));
      await expect(newWal(workspace), link).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' });
      rmSync(join(workspace, link));
      symlinkSync(join(whole, link), join(workspace, link));
      await expect(resumedWal(workspace), link).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' });
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('can be read and followed beside its writer', async () => {
    const wal = await newWal(emptyWorkspace());
    await wal.append(messages(3), { durable: true });
    const key = wal.vault.putJson('private');
    const reader = openRecordedRun(wal.locator);
    expect((await collect(reader.read())).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(reader.vault.getJson(key)).toBe('private');
    const abort = new AbortController();
    const followed: number[] = [];
    for await (const events of reader.tail(1, { signal: abort.signal })) {
      followed.push(...events.map(({ seq }) => seq));
      if (followed.length === 2) void wal.append(message('later'));
      if (followed.length === 3) abort.abort();
    }
    expect(followed).toEqual([2, 3, 4]);
    reader.close();
  });
});

describe('a change from outside', () => {
  const damage = (line: number) =>
    expect.objectContaining({ code: 'JOURNAL_DAMAGED', facts: expect.objectContaining({ line }) });

  test('of any byte is detected, and its line is named', async () => {
    const { workspace, log } = await finishedRun(4);
    const whole = readFileSync(log);
    const step = proofSize({ small: 13, full: 1 });
    for (let at = Math.floor(Math.random() * step); at < whole.length; at += step) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (at % 7);
      writeFileSync(log, changed);
      const line = whole.subarray(0, at).toString().split('\n').length - 1;
      const reader = openRecordedRun(log);
      await expect(collect(reader.read()), `byte ${at}`).rejects.toEqual(damage(line));
      reader.close();
      const resumed = resumedWal(workspace).then(async (wal) => collect(wal.read()).finally(() => wal.close()));
      await expect(resumed, `byte ${at}`).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
      writeFileSync(log, whole);
    }
  });

  test('that removes lines at the end is detected', async () => {
    const { workspace, log } = await finishedRun(4);
    const whole = readFileSync(log, 'utf8');
    for (const lines of [3, 2, 0]) {
      writeFileSync(
        log,
        whole
          .split('\n')
          .slice(0, lines)
          .map((line) => `${line}\n`)
          .join(''),
      );
      await expect(resumedWal(workspace)).rejects.toEqual(damage(lines));
      const reader = openRecordedRun(log);
      await expect(collect(reader.read())).rejects.toEqual(damage(lines));
      reader.close();
    }
  });

  test('that writes the log anew, with its chain, is detected', async () => {
    const { workspace, log } = await finishedRun(3);
    const other = emptyWorkspace();
    const forger = await newWal(other);
    await forger.append([...messages(2), message('forged'), message('more')]);
    await forger.close();
    writeFileSync(log, readFileSync(forger.locator));
    const wal = await resumedWal(workspace);
    await expect(collect(wal.read())).rejects.toEqual(damage(2));
  });

  test('while the log is open is detected', async () => {
    const wal = await newWal(emptyWorkspace());
    await wal.append(messages(3));
    truncateSync(wal.locator, readFileSync(wal.locator, 'utf8').split('\n')[0]!.length + 1);
    await expect(collect(wal.read())).rejects.toEqual(damage(1));
  });

  test('to the signed position, or without the vault, is detected', async () => {
    const { workspace, log } = await finishedRun(2);
    const head = join(dirname(log), 'head');
    const vault = join(dirname(log), 'vault');
    for (const [file, code] of [
      [head, 'JOURNAL_DAMAGED'],
      [vault, 'VAULT_DAMAGED'],
    ] as const) {
      const whole = readFileSync(file);
      for (const change of ['removed', 'emptied', 'changed'] as const) {
        if (change === 'removed') rmSync(file);
        else if (change === 'emptied') writeFileSync(file, '');
        else writeFileSync(file, whole.toString('latin1').replace(/[0-9a-h]/, 'z'), 'latin1');
        await expect(resumedWal(workspace), `${file} ${change}`).rejects.toMatchObject({ code });
        writeFileSync(file, whole);
      }
    }
    expect((await resumedWal(workspace)).lastSeq).toBe(2);
  });

  test('by another version of the format is named', async () => {
    const { log } = await finishedRun(1);
    const line = readFileSync(log, 'utf8')
      .replace('agent/1.0', 'agent/2.0')
      .replace(/,"chain":.*\n/, '');
    const chain = sha256(`${sha256(`tacho-chain/1 ${RUN}`)}${line}}`);
    writeFileSync(log, `${line},"chain":"${chain}"}\n`);
    rmSync(join(dirname(log), 'head'));
    const reader = openRecordedRun(log);
    await expect(collect(reader.read())).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' });
    reader.close();
  });
});

test('a run whose writer was killed before the first event can be opened', async () => {
  const workspace = emptyWorkspace();
  const wal = await newWal(workspace);
  await wal.close();
  // In the order in which they are made.
  const files = ['events.jsonl', 'vault', 'head'];
  for (let made = 0; made <= files.length; made++) {
    for (const file of files.slice(made)) rmSync(join(wal.folder, file));
    const again = await resumedWal(workspace);
    expect(again.lastSeq).toBe(0);
    await again.close();
    expect(readdirSync(wal.folder)).toEqual(expect.arrayContaining(files));
  }
});
