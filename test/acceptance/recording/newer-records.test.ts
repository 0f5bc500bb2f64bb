import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type RunFolder, runFolderAt } from '../../../src/recording/index.ts';
import { makeNewer, NEWER_TYPES } from '../../support/newer-record.ts';
import { startService } from '../../support/service.ts';
import { removeFolder, type Sandbox, sandbox } from '../../support/tacho.ts';

const NOTICE = 'Made by a newer version of tacho; shown as far as possible.';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-newer-'));
afterAll(() => removeFolder(home));

/** A copy of a run that is recorded once. */
async function newerRun(options?: { chunks: boolean }): Promise<{ box: Sandbox; folder: RunFolder }> {
  const box = sandbox();
  if (!fs.existsSync(path.join(home, 'runs'))) {
    await box.here(['run', 'demo', '--data', home, '--engine-arg=--pace=0', '--', 'write a report']);
  }
  fs.cpSync(home, box.home, { recursive: true });
  const folder = runFolderAt(path.join(box.home, 'runs', box.runIds()[0]!));
  makeNewer(folder, options);
  return { box, folder };
}

describe('a record of a newer version of tacho', () => {
  test('is shown by the commands as far as possible', async () => {
    const { box, folder } = await newerRun();
    const show = await box.tacho(['show', 'last']);
    expect(show).toMatchObject({ code: 0, stderr: '' });
    expect(show.stdout).toContain('write a report');
    expect(show.stdout).toContain(`${NOTICE} (tacho-run/9)`);
    expect((await box.here(['runs'])).stdout).toContain('succeeded (0)');

    const chat = await box.here(['show', '--chat', 'last']);
    expect(chat.code).toBe(0);
    expect(chat.stderr).toContain(NOTICE);
    expect(chat.stdout).toContain('telepathy.started');

    const events = await box.here(['events', 'last']);
    expect(events.code, events.stderr).toBe(0);
    expect(events.stdout.trimEnd().split('\n')).toHaveLength(box.events(folder.runId).length);
    for (const type of NEWER_TYPES) expect(events.stdout).toContain(type);
    expect(events.stdout).toContain('lifecycle.run.status@rasp/9.0');

    const replay = await box.here(['replay', 'last', '--json']);
    expect(replay.code, replay.stderr).toBe(0);
    for (const format of ['txt', 'svg', 'asciicast', 'zip']) {
      const exported = await box.here(['export', 'last', '--format', format, '-o', path.join(box.home, format)]);
      expect(exported.code, exported.stderr).toBe(0);
    }
  });

  test('is verified as far as possible, and verify names what it could not check', async () => {
    const { box } = await newerRun();
    const { finished, ...answer } = await box.jsonHere<object>(['verify', 'last']);
    expect(finished.code).toBe(1);
    expect(answer).toMatchObject({
      verdict: 'incomplete',
      problems: [
        { kind: 'unchecked', path: 'seal.1.json', message: expect.stringContaining('tacho-seal/9') },
        { kind: 'unchecked', path: '.run.json', message: expect.stringContaining('tacho-run/9') },
      ],
    });
    const log = path.join(box.audit(), 'events.jsonl');
    fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('telepathy', 'telegraphy'));
    expect(await box.jsonHere(['verify', 'last'])).toMatchObject({
      verdict: 'changed',
      problems: [{ kind: 'unchecked' }, { kind: 'chain', path: 'events.jsonl' }, { kind: 'unchecked' }],
    });
  });

  test('is neither continued nor changed', async () => {
    const { box, folder } = await newerRun();
    const before = fs.readFileSync(path.join(folder.path, '.run.json'), 'utf8');
    for (const command of [
      ['resume', 'last', 'go on'],
      ['run', '--run-dir', folder.path, '--', 'true'],
    ]) {
      const refused = await box.here(command);
      expect(refused.stderr, command[0]).toContain('FORMAT_TOO_NEW');
      expect(refused.code).not.toBe(0);
    }
    expect(fs.readFileSync(path.join(folder.path, '.run.json'), 'utf8')).toBe(before);
  });

  test('with a chunk index of a newer format is not replayed, but everything else is shown', async () => {
    const { box } = await newerRun({ chunks: true });
    const replay = await box.here(['replay', 'last', '--raw']);
    expect(replay.code).toBe(1);
    expect(replay.stderr).toContain('FORMAT_TOO_NEW');
    expect((await box.here(['show', 'last'])).code).toBe(0);
    expect((await box.here(['verify', 'last'])).stdout).toContain('incomplete');
  });

  test('is served by every endpoint and stream as far as possible', async () => {
    const { box, folder } = await newerRun({ chunks: true });
    const { client, stop } = await startService({ home: box.home });
    const id = folder.runId;
    expect(await client.getRun(id)).toMatchObject({ status: 'succeeded', newer_format: 'tacho-run/9' });
    expect((await client.listRuns()).runs).toMatchObject([{ run_id: id, newer_format: 'tacho-run/9' }]);
    expect(await client.attempt(id, 1)).toMatchObject({ exit_code: 0 });
    expect((await client.files(id)).created.length).toBeGreaterThan(0);
    expect(await client.result(id)).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect(await client.verify(id)).toMatchObject({
      verdict: 'incomplete',
      problems: [{ kind: 'unchecked' }, { kind: 'unchecked' }],
    });
    expect((await client.lines(id, 'stdout', 1, { around: 0 })).lines.length).toBeGreaterThan(0);
    await expect(client.timing(id, 1)).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' });

    const total = box.events(id).length;
    const streamed: string[] = [];
    for await (const { event } of client.followEvents(id)) {
      streamed.push(event.type);
      if (streamed.length === total) break;
    }
    for (const type of [...NEWER_TYPES, 'lifecycle.run.status@rasp/9.0']) expect(streamed).toContain(type);
    const kept = fs.readFileSync(path.join(folder.audit, 'conversation.jsonl'), 'utf8').trimEnd().split('\n').length;
    const said: unknown[] = [];
    for await (const { data } of client.followConversation(id)) {
      said.push('message_type' in data ? data.message_type : null);
      if (said.length === kept) break;
    }
    expect(said).toContain('assistant.dream');
    await stop();
  });
});
