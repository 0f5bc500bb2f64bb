import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ownIdentity, takeFlock } from '../../src/files/index.ts';
import {
  attemptFileNames,
  fsDiffSchema,
  metaSchema,
  resultSchema,
  verificationSchema,
} from '../../src/protocol/index.ts';
import { runFolderAt, zipRun } from '../../src/recording/index.ts';
import { IMPORT_CODEX, recordings } from '../support/recordings.ts';
import { finished, projectRoot, sandbox, temporaryFolder } from '../support/tacho.ts';
import { makeRun, statusDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { serve } from './support/serve.ts';

const recording = recordings();

async function recorded(...command: string[]) {
  const { box, run_id } = await recording(['run', '--', ...command]);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const get = (rest: string, options = {}) => served.ask(`/v1/runs/${run_id}/${rest}`, options);
  return { box, run_id, served, get, audit: box.audit(run_id) };
}

test('the facts of an attempt come from its meta file', async () => {
  const { get, audit } = await recorded('true');
  const meta = metaSchema.parse((await get('attempts/1')).json);
  expect(meta).toEqual(JSON.parse(fs.readFileSync(path.join(audit, 'meta.1.json'), 'utf8')));
  expect(await get('attempts/2')).toMatchObject({ status: 404, json: { error: { code: 'ATTEMPT_NOT_FOUND' } } });
  fs.writeFileSync(path.join(audit, 'meta.1.json'), '{');
  expect(await get('attempts/1')).toMatchObject({ status: 422, json: { error: { code: 'RECORD_INCOMPLETE' } } });
  fs.rmSync(path.join(audit, 'meta.1.json'));
  expect(await get('attempts/1')).toMatchObject({
    status: 409,
    json: { error: { code: 'RUN_ACTIVE', details: { bytes: { stdout: 0, stderr: 0 } } } },
  });
});

test('changed files are listed, and their content is addressed only by its hash', async () => {
  const { get, audit } = await recorded('sh', '-c', 'echo content > made.txt; ln -s /etc/passwd link');
  const diff = fsDiffSchema.parse((await get('files')).json);
  expect(diff).toEqual(JSON.parse(fs.readFileSync(path.join(audit, attemptFileNames(1).fsDiff), 'utf8')));
  const made = diff.created.find((change) => change.path === 'made.txt')!;
  const sha = createHash('sha256').update('content\n').digest('hex');
  expect(made.after_blob).toBe(sha);
  expect(await get(`files/content?sha=${sha}`)).toMatchObject({
    status: 200,
    text: 'content\n',
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${sha}"`,
      'x-content-type-options': 'nosniff',
    },
  });
  expect(await get(`files/content?sha=${sha}`, { headers: { range: 'bytes=3-4' } })).toMatchObject({
    status: 206,
    text: 'te',
    headers: { 'content-range': 'bytes 3-4/8' },
  });
  expect((await get(`files/content?sha=${sha}`, { headers: { range: 'bytes=8-' } })).status).toBe(416);
  expect((await get(`files/content?sha=${'0'.repeat(64)}`)).status).toBe(404);
  for (const name of ['..%2fmeta.1.json', sha.toUpperCase(), `${sha}%00`, '/etc/passwd', '', 'made.txt']) {
    expect((await get(`files/content?sha=${name}`)).status, name).toBe(400);
  }
  const blob = path.join(audit, 'blobs', sha);
  fs.rmSync(blob);
  fs.symlinkSync('/etc/passwd', blob);
  expect((await get(`files/content?sha=${sha}`)).status).toBe(404);
  fs.rmSync(path.join(audit, 'blobs'), { recursive: true });
  fs.symlinkSync(path.dirname(audit), path.join(audit, 'blobs'));
  expect((await get(`files/content?sha=${sha}`)).status).toBe(404);
  expect((await get('files?attempt=2')).status).toBe(404);
  fs.rmSync(path.join(audit, attemptFileNames(1).fsDiff));
  expect(await get('files?attempt=1')).toMatchObject({ status: 404, json: { error: { code: 'ATTEMPT_NOT_FOUND' } } });
});

test('binary content is served and bundled byte for byte', async () => {
  const { get } = await recorded('sh', '-c', "printf 'a\\0\\377\\r\\n' > made.bin");
  const content = Buffer.from([0x61, 0, 255, 13, 10]);
  const sha = createHash('sha256').update(content).digest('hex');
  expect((await get(`files/content?sha=${sha}`)).bytes.equals(content)).toBe(true);
  expect((await get('bundle')).bytes.includes(`blobs/${sha}`)).toBe(true);
});

test('a result is the last message of the engine and how it ended', async () => {
  const { box, run_id } = await recording(IMPORT_CODEX);
  const folder = path.join(projectRoot, 'test/fixtures/codex/tool');
  const { final_messages } = JSON.parse(fs.readFileSync(path.join(folder, 'expected.json'), 'utf8'));
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const result = resultSchema.parse((await ask(`/v1/runs/${run_id}/result`)).json);
  expect(result).toMatchObject({
    run_id,
    status: 'succeeded',
    attempt: 1,
    message: final_messages.at(-1),
    exit_code: 0,
    completion: { state: 'completed' },
    usage: { input_tokens: expect.any(Number) },
  });
});

test('a transcript equals that of the command, for all attempts or one', async () => {
  const { box, run_id } = await recording(IMPORT_CODEX);
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const { stdout } = await box.here(['export', run_id, '--format', 'md']);
  for (const query of ['', '?attempt=1']) {
    const answer = await ask(`/v1/runs/${run_id}/transcript${query}`);
    expect(answer).toMatchObject({ status: 200, text: stdout });
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
  }
  expect((await ask(`/v1/runs/${run_id}/transcript?attempt=2`)).status).toBe(404);
});

test('the result is available only after the end, as soon as the record is sealed', async () => {
  const box = sandbox();
  const run = await makeRun(box.home);
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const result = () => ask(`/v1/runs/${run.folder.runId}/result`);
  await run.append([statusDraft('running')]);
  for (const status of ['queued', 'running', 'waiting_user', 'waiting_approval'] as const) {
    run.setStatus(status);
    expect(await result(), status).toMatchObject({
      status: 409,
      json: { error: { code: 'RUN_ACTIVE', details: { status } } },
    });
  }
  run.setSealed(false);
  await run.append([statusDraft('failed')]);
  const waiting = result();
  run.setSealed(true);
  expect(await waiting).toMatchObject({ status: 200, json: { status: 'failed' } });
});

test('a request for the files of a just ended attempt waits until they are written', async () => {
  const { run_id, audit, get, served } = await recorded('true');
  const record = path.join(path.dirname(audit), '.run.json');
  const sealed = fs.readFileSync(record, 'utf8');
  const diff = path.join(audit, attemptFileNames(1).fsDiff);
  const who = { supervisor: ownIdentity(), child: null, marker: '', started_at: null, env_names: [], secret_names: [] };
  const capture = { mode: 'split', reason: 'test', level: 'full' };
  fs.renameSync(diff, `${diff}.later`);
  fs.writeFileSync(record, JSON.stringify({ ...JSON.parse(sealed), live: { ...who, capture } }));
  const lock = takeFlock(path.join(audit, 'lock.1'))!;
  const waiting = get('files');
  expect(await served.ask(`/v1/runs/${run_id}`)).toMatchObject({ status: 200 });
  fs.renameSync(`${diff}.later`, diff);
  fs.writeFileSync(record, sealed);
  lock.release();
  expect(await waiting).toMatchObject({ status: 200, json: { format: expect.any(String) } });
});

test('the server answers other requests while it verifies a large record', async () => {
  const { served, run_id, audit } = await recorded('echo', 'hello');
  // A sparse file: slow to read, but quick to create.
  fs.truncateSync(path.join(audit, 'stdout.1.log'), 100_000_000);
  let verifying = true;
  const verified = served.ask(`/v1/runs/${run_id}/verify`, { method: 'POST' }).finally(() => {
    verifying = false;
  });
  let answered = 0;
  while (verifying) {
    expect((await served.ask('/v1/health')).status).toBe(200);
    answered++;
  }
  expect((await verified).json).toMatchObject({ verdict: 'changed', problems: [{ path: 'stdout.1.log' }] });
  // If verify blocked, only one or two would be answered: before it and after it.
  expect(answered).toBeGreaterThan(5);
});

test('the bundle is a zip of the record that still verifies', async () => {
  const { get, run_id, box } = await recorded('sh', '-c', 'echo hello; echo text > made.txt');
  const answer = await get('bundle');
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${run_id}.zip"` },
  });
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'run.zip'), answer.bytes);
  const unpacked = await finished(spawn('python3', ['-m', 'zipfile', '-e', 'run.zip', '.'], { cwd: folder }));
  expect(unpacked.code).toBe(0);
  expect(fs.readdirSync(path.join(folder, run_id)).sort()).toEqual(['.audit', '.run.json']);
  const verified = await box.jsonHere<{ verdict: string }>(['verify', path.join(folder, run_id)]);
  expect(verified.verdict).toBe('intact');
});

test('a client that disconnects during a bundle does not disturb the server', async () => {
  const { served, run_id } = await recorded('sh', '-c', 'head -c 1500000 /dev/urandom | base64');
  const address = { port: served.port, path: `/v1/runs/${run_id}/bundle`, headers: served.headersFor('read') };
  await new Promise<void>((resolve) => {
    http.get({ ...address, agent: false }, (response) => {
      response.once('data', () => response.destroy());
      response.once('close', resolve);
    });
  });
  expect((await served.ask('/v1/health')).status).toBe(200);
  await served.server.close();
});

test('a bundle of a live run contains what is recorded so far; if a file disappears, the download fails', async () => {
  const box = sandbox();
  const { run_id } = await box.jsonHere(['run', '--', 'echo', 'hello']);
  const folder = runFolderAt(path.join(box.home, 'runs', run_id));
  const stdout = path.join(folder.audit, 'stdout.1.log');
  const growing = await zipRun(folder);
  fs.appendFileSync(stdout, 'and more');
  await growing.resume().toArray();
  const broken = await zipRun(folder);
  fs.rmSync(stdout);
  await expect(broken.toArray()).rejects.toThrow(/ENOENT/);
  const linked = await zipRun(folder);
  fs.rmSync(path.join(folder.audit, 'stderr.1.log'));
  fs.symlinkSync('/etc/passwd', path.join(folder.audit, 'stderr.1.log'));
  await expect(linked.toArray()).rejects.toThrow(/ELOOP/);
});

test('verify names a change in a record', async () => {
  const { get, audit } = await recorded('echo', 'hello');
  const verify = async () => verificationSchema.parse((await get('verify', { method: 'POST' })).json);
  expect(await verify()).toMatchObject({ verdict: 'intact', code: null, problems: [], foreign_keys: [] });
  fs.writeFileSync(path.join(audit, 'stdout.1.log'), 'jello\n');
  expect(await verify()).toMatchObject({
    verdict: 'changed',
    code: 'VERIFY_FAILED',
    problems: [{ kind: 'changed', path: 'stdout.1.log' }],
  });
});

test('a run folder that is a link, or whose record is a link, is 404', async () => {
  const { served, box, run_id, audit } = await recorded('true');
  const other = run_id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  fs.symlinkSync(path.join(box.home, 'runs', run_id), path.join(box.home, 'runs', other));
  for (const rest of ['events', 'bundle', 'attempts/1', 'raw/stdout.1']) {
    expect((await served.ask(`/v1/runs/${other}/${rest}`)).status, rest).toBe(404);
  }
  const events = path.join(audit, 'events.jsonl');
  fs.renameSync(events, `${events}.away`);
  fs.symlinkSync(`${events}.away`, events);
  for (const rest of ['events', 'events/stream', 'conversation', 'bundle']) {
    expect((await served.ask(`/v1/runs/${run_id}/${rest}`)).status, rest).toBe(404);
  }
});
