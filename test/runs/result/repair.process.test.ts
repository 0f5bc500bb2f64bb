import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  type AttemptResult,
  attemptResultSchema,
  isEvent,
  type RaspEvent,
  resultSchema,
} from '../../../src/protocol/index.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { memoryDirector } from '../../server/support/memory-director.ts';
import { serve } from '../../server/support/serve.ts';
import { writeFiles } from '../../skills/skill-folder.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type RunAnswer, sandbox } from '../../support/tacho.ts';
import { eventsOf, input, openService, whenEnded } from '../service/open-service.ts';
import { BAD, COUNT_SKILL, GOOD } from './count-skill.ts';

const BASE_URL = 'http://127.0.0.1:9';
type Turns = readonly { say: string; artifacts?: Record<string, string>; result?: string; wait?: string }[];

function place() {
  const box = sandbox();
  writeFiles(path.join(box.home, 'skills/count'), COUNT_SKILL);
  const env = fakeEngine('codex', 'codex-result.mjs');
  const run = (turns: Turns, ...more: string[]) =>
    box.jsonHere<RunAnswer & { completion: { state: string; reason_code: string } }>(
      ['run', 'codex', '--base-url', BASE_URL, '--skill', 'count', '--input', JSON.stringify({ turns }), ...more],
      { env },
    );
  const result = (runId: string, attempt: number) => readResult(box.home, runId, attempt);
  return { box, env, run, result };
}

function readResult(home: string, runId: string, attempt: number): AttemptResult {
  const file = path.join(home, 'runs', runId, '.audit', `result.${attempt}.json`);
  return attemptResultSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}

const statuses = (events: readonly RaspEvent[]) =>
  events.flatMap((event) =>
    isEvent(event, 'lifecycle.run.status') && event.source.stream === null
      ? [`${event.attempt_number} ${event.data.status} ${event.data.reason_code ?? event.data.phase}`]
      : [],
  );

test('a missing done marker is reported, asked for once in the same session, and the run completes', async () => {
  const { box, run, result } = place();
  const artifacts = { 'report.md': '# Report', 'other.txt': 'left out' };
  const answer = await run([{ say: '{"lines": 3}' }, { say: GOOD, artifacts }]);
  expect(answer).toMatchObject({ status: 'succeeded', attempt: 2, completion: { reason_code: 'DONE_MARKER' } });
  expect(answer.finished.code).toBe(0);
  const events = box.events(answer.run_id);
  expect(statuses(events)).toEqual([
    '1 queued requested',
    '1 running started',
    '1 queued repair_requested',
    '2 running resumed',
    '2 succeeded DONE_MARKER',
  ]);
  const diagnostics = events.filter((event) => isEvent(event, 'diagnostic.runtime.warning'));
  expect(diagnostics.map(({ attempt_number, data }) => [attempt_number, (data as { code: string }).code])).toEqual([
    [1, 'DONE_MARKER_MISSING'],
  ]);
  const said = events.filter((event) => isEvent(event, 'interaction.reply.accepted')).at(-1)!.data;
  const { prompts } = JSON.parse(fs.readFileSync(path.join(box.work, '.turns.json'), 'utf8')) as { prompts: string[] };
  expect(said).toMatchObject({ source: 'repair', text: prompts[1] });
  expect(prompts[1]).toContain('The done marker is missing');
  expect(result(answer.run_id, 1)).toMatchObject({
    repair: 'requested',
    completion: { reason_code: 'DONE_MARKER_MISSING' },
    payload: { lines: 3 },
    validity: { state: 'valid' },
  });
  expect(result(answer.run_id, 2)).toMatchObject({
    repair: 'done',
    skill: { namespace: 'user', name: 'count', version: '2.0.0' },
    payload: { lines: 3 },
    payload_from: { kind: 'message' },
    validity: { state: 'valid', violations: [] },
    artifacts: [{ path: 'report.md', role: 'report', mime: 'text/markdown', bytes: 8 }],
  });
  const messages = fs.readFileSync(path.join(box.audit(answer.run_id), 'conversation.jsonl'), 'utf8');
  const repair = messages.split('\n').find((line) => line.includes('"by":"tacho"'))!;
  expect(repair).toContain('The done marker is missing');
  expect(repair).not.toContain('__SKILL_DONE__');
  expect(await verifyRun(runFolderAt(path.join(box.home, 'runs', answer.run_id)))).toMatchObject({ verdict: 'intact' });
  expect(fs.statSync(path.join(box.audit(answer.run_id), 'result.2.json')).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.join(box.home, 'private'))).toEqual([]);
});

test('the result and its artifacts are served, printed and copied', async () => {
  const { box, run } = place();
  const artifacts = { 'report.md': '# Report', 'naïve "x".md': 'odd name' };
  const { run_id } = await run([{ say: GOOD, artifacts }]);
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const get = (rest: string, options = {}) => ask(`/v1/runs/${run_id}/${rest}`, options);
  const result = resultSchema.parse((await get('result')).json);
  expect(result).toMatchObject({
    status: 'succeeded',
    skill: { name: 'count', version: '2.0.0' },
    payload: { lines: 3 },
    payload_from: { kind: 'message' },
    validity: { state: 'valid', violations: [] },
    artifacts: [{ path: 'naïve "x".md' }, { path: 'report.md', role: 'report', mime: 'text/markdown', bytes: 8 }],
    completion: { rule: 3, source: 'marker' },
    repair_attempt: null,
  });
  expect(await get('artifacts/report.md')).toMatchObject({
    status: 200,
    text: '# Report',
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="report.md"; filename*=UTF-8''report.md`,
      'x-content-type-options': 'nosniff',
    },
  });
  expect(await get('artifacts/report.md', { headers: { range: 'bytes=2-3' } })).toMatchObject({
    status: 206,
    text: 'Re',
  });
  const { headers } = await get(`artifacts/${encodeURIComponent('naïve "x".md')}`);
  expect(headers['content-disposition']).toBe(
    `attachment; filename="na_ve__x_.md"; filename*=UTF-8''na%C3%AFve%20%22x%22.md`,
  );
  for (const name of ['other', '..%2fmeta.1.json', '%2e%2e', 'report.md%00', 'blobs']) {
    expect((await get(`artifacts/${name}`)).status, name).toBe(404);
  }
  const blob = path.join(box.audit(run_id), 'blobs', result.artifacts[1]!.sha256);
  fs.renameSync(blob, `${blob}.kept`);
  fs.symlinkSync('/etc/passwd', blob);
  expect((await get('artifacts/report.md')).status).toBe(404);
  fs.renameSync(`${blob}.kept`, blob);

  const printed = await box.here(['result']);
  expect(printed).toMatchObject({
    code: 0,
    stdout: '{\n  "lines": 3\n}\n',
    stderr: expect.stringContaining('2 artifacts'),
  });
  const copied = await box.jsonHere<{ copied: string[] }>(['result', run_id, '--artifacts', 'out/files']);
  expect(copied.copied).toEqual(['naïve "x".md', 'report.md'].map((name) => path.join(box.work, 'out/files', name)));
  expect(fs.readFileSync(path.join(box.work, 'out/files/report.md'), 'utf8')).toBe('# Report');
  expect(await box.here(['result', run_id, '--artifacts', 'out/files'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already'),
  });
  const shown = await box.here(['show', run_id]);
  expect(shown.stdout).toMatch(
    /skill {5}\$\[user\]\.count · 2\.0\.0 · package [0-9a-f]{12}\n {2}result {4}valid · 2 artifacts\n/,
  );
});

test('an invalid result gets one repair turn, then the run fails with its violations', async () => {
  const { box, run, result } = place();
  const answer = await run([{ say: BAD }, { say: BAD, result: '{"lines": 1, "more": 2}' }, { say: GOOD }]);
  expect(answer).toMatchObject({ status: 'failed', attempt: 2, completion: { reason_code: 'OUTPUT_INVALID' } });
  expect(answer.finished.code).toBe(1);
  const violations = [{ path: '', message: 'must NOT have additional properties: more' }];
  expect(result(answer.run_id, 2)).toMatchObject({
    repair: 'done',
    payload: { lines: 1, more: 2 },
    payload_from: { kind: 'file', path: 'result.json', in: 'artifacts' },
    validity: { state: 'invalid', violations },
  });
  const { prompts } = JSON.parse(fs.readFileSync(path.join(box.work, '.turns.json'), 'utf8')) as { prompts: string[] };
  expect(prompts[1]).toContain('- /lines: must be integer');
  const invalid = box
    .events(answer.run_id)
    .filter((event) => isEvent(event, 'diagnostic.runtime.warning'))
    .map(({ attempt_number, data }) => ({ attempt_number, ...data }));
  expect(invalid).toMatchObject([
    { attempt_number: 1, code: 'OUTPUT_INVALID', severity: 'warning' },
    { attempt_number: 2, code: 'OUTPUT_INVALID', severity: 'error', violations },
  ]);
});

test('a second missing marker ends the run, and the payload is kept', async () => {
  const { run, result } = place();
  const answer = await run([{ say: 'Working …' }, { say: '{"lines": 7}' }]);
  expect(answer).toMatchObject({ status: 'failed', completion: { reason_code: 'DONE_MARKER_MISSING' } });
  expect(result(answer.run_id, 2)).toMatchObject({ payload: { lines: 7 }, validity: { state: 'valid' } });
});

test('an interactive skill asks first; the answer, not a repair turn, continues it', async () => {
  const { box, env, run } = place();
  const asked = await run([{ say: 'Which file?' }, { say: GOOD }], '--mode', 'interactive');
  expect(asked).toMatchObject({ status: 'waiting_user', attempt: 1 });
  expect(fs.existsSync(path.join(box.audit(asked.run_id), 'result.1.json'))).toBe(false);
  const answered = await box.jsonHere(['resume', asked.run_id, 'a.txt'], { env });
  expect(answered).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(statuses(box.events(asked.run_id)).filter((status) => status.includes('repair'))).toEqual([]);
});

test('the server starts the repair turn of a queued run, also one that was not running meanwhile', async () => {
  const env = fakeEngine('codex', 'codex-result.mjs');
  const { director, home, reopen } = await openService({ env, slots: 1 });
  writeFiles(path.join(home, 'skills/count'), COUNT_SKILL);
  const wanted = (turns: Turns) => input({ engine: 'codex', base_url: BASE_URL, skill: 'count', input: { turns } });
  const { run_id: first } = await director.create(wanted([{ say: BAD }, { say: GOOD }]));
  expect(await whenEnded(director, first)).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(statuses(eventsOf(home, first))).toEqual([
    '1 queued requested',
    '1 running started',
    '1 queued repair_requested',
    '2 running resumed',
    '2 succeeded DONE_MARKER',
  ]);

  const go = path.join(home, 'go');
  const { run_id: second } = await director.create(wanted([{ say: 'Not yet.', wait: go }, { say: GOOD }]));
  await expect.poll(async () => (await director.get(second)).status).toBe('running');
  await director.close();
  fs.writeFileSync(go, '');
  const record = () => JSON.parse(fs.readFileSync(path.join(home, 'runs', second, '.run.json'), 'utf8')) as RunAnswer;
  await expect.poll(() => record()).toMatchObject({ status: 'queued', live: null });
  const { director: next } = await reopen();
  expect(await whenEnded(next, second)).toMatchObject({ status: 'succeeded', attempt: 2 });
  await expect.poll(() => record()).toMatchObject({ live: null });
  expect(readResult(home, second, 2)).toMatchObject({ payload: { lines: 3 }, repair: 'done' });
});
