import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { makeIndexFile } from '../../../src/runs/index/index-file.ts';
import { listRuns } from '../../../src/runs/index/list-runs.ts';
import { openRunIndex, type RunIndex } from '../../../src/runs/index/run-index.ts';
import { putRun } from '../../../src/runs/index/run-rows.ts';
import { indexNextPage } from '../../../src/runs/index/word-pages.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { proofSize } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/tacho.ts';

async function indexed(): Promise<{ runs: RecordedRuns; index: RunIndex }> {
  const home = temporaryFolder();
  const runs = new RecordedRuns(home);
  const index = await openRunIndex({ file: path.join(home, 'index.db'), runsRoot: runs.root });
  onTestFinished(() => index.close());
  return { runs, index };
}

const LAUNCH = { model: null, base_url: null, engine_args: [], require_marker: false, format: null };

/** Whether the query finds a run with this text. */
async function finds(said: string, q: string): Promise<boolean> {
  const { runs, index } = await indexed();
  index.put(runs.add({}, [said]));
  return index.list({ q, limit: 1 }).total === 1;
}

describe('words are found', () => {
  test.each([
    ['Fix the flaky login test', 'login'],
    ['Fix the flaky login test', 'LOGIN test'],
    ['Fix the flaky login test', 'test flaky'],
    ['Fix the flaky login test', '"flaky login"'],
    ['Fix the flaky login test', 'log'],
    ['Ran ls -l in /usr/lib', 'ls'],
    ['Ran ls -l in /usr/lib', '-l'],
    ['Written in C, then in Go', 'c'],
    ['edited src/run_index.ts:42', 'run_index.ts'],
    ['edited src/run_index.ts:42', 'index'],
    ['edited src/run_index.ts:42', 'run_ind'],
    ['Die Straße nach Köln', 'koln'],
    ['Un cafe\u0301 noir', 'café'],
    ['请修复登录页面的错误', '登录'],
    ['请修复登录页面的错误', '错'],
    ['请修复登录页面的错误', '修复登录页面'],
    ['请修复login页面', 'login'],
    ['請查看 README 文件', '文件 readme'],
    ['サーバーが落ちました', 'サーバー'],
    ['ｱｲｳ full width ＡＢＣ', 'アイウ abc'],
    ['로그인 오류를 고쳐 주세요', '오류'],
    ['แก้ไขข้อผิดพลาด', 'ผิด'],
    ['All is well 🦀 now', '🦀'],
    ['version 1.23.4 of it', '1.23'],
    ['say "hello" there', '"hello'],
  ])('in "%s": %s', async (said, q) => {
    expect(await finds(said, q)).toBe(true);
  });

  test.each([
    ['Fix the flaky login test', 'logout'],
    ['Fix the flaky login test', 'ogin'],
    ['Fix the flaky login test', 'login production'],
    ['Fix the flaky login test', '"login flaky"'],
    ['Fix the flaky login test', '"logi"'],
    ['Ran lsof', 'ls'],
    ['请修复登录页面的错误', '录登'],
    ['Fix the flaky login test', '++'],
    ['Fix the flaky login test', 'NOT login'],
    ['Fix the flaky login test', 'login) OR (x'],
    ['Fix the flaky login test', 'text: login*'],
    ['Fix the flaky login test', '\0'],
  ])('not in "%s": %s', async (said, q) => {
    expect(await finds(said, q)).toBe(false);
  });

  test('in a prompt and in a command, before the first message', async () => {
    const { runs, index } = await indexed();
    const prompt = runs.add({ launch: { ...LAUNCH, prompt: 'Translate the manual' }, status: 'queued' });
    const command = runs.add({ engine: 'text', command: ['make', 'install', `x${'y'.repeat(10_000)} ending`] });
    for (const record of [prompt, command]) index.put(record);
    const found = (q: string) => index.list({ q, limit: 5 }).records.map(({ run_id }) => run_id);
    expect(found('manual')).toEqual([prompt.run_id]);
    expect(found('install ending')).toEqual([command.run_id]);
  });

  test('together, wherever each of them is in the run', async () => {
    const { runs, index } = await indexed();
    const record = runs.add({ command: ['codex', 'exec', 'heron'] }, ['One egret.', 'Then a bittern.']);
    index.put(record);
    for (const q of ['heron egret', 'egret bittern', 'bittern heron'])
      expect(index.list({ q, limit: 1 }).total).toBe(1);
  });

  test('in everything users and engines said and did, and nowhere else', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' });
    const call = { call_id: 'c', name: 'shell' };
    runs.append(run_id, 'user.message', { text: 'avocet', attempt: 1 });
    runs.append(run_id, 'assistant.reasoning', { text: 'bulbul' });
    runs.append(run_id, 'assistant.plan', { items: [{ text: 'curlew' }, { text: 'dunlin' }, {}] });
    runs.append(run_id, 'assistant.tool_call', { ...call, summary: 'grep eider', state: 'started' });
    runs.append(run_id, 'assistant.tool_call', { ...call, summary: 'cat fulmar', state: 'failed' });
    runs.append(run_id, 'user.input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'gannet?' });
    runs.append(run_id, 'approval.required', { approval_id: 'a', summary: 'run hoopoe' });
    runs.append(run_id, 'conversation.failed', { error: { category: 'engine', code: 'IBIS', message: 'jay' } });
    runs.append(run_id, 'raw.stdout', { text: 'kestrel', lines: 1 });
    runs.append(run_id, 'assistant.message.delta', { message_id: 'm', text: 'linnet' });
    runs.append(run_id, 'diagnostic.warning', { code: 'X', message: 'merlin', severity: 'info' });
    index.put(runs.add({}, ['another run']));
    await index.refresh();
    const words = ['avocet', 'bulbul', 'curlew', 'dunlin', 'eider', 'fulmar', 'gannet', 'hoopoe', 'ibis', 'jay'];
    for (const q of words) expect(index.list({ q, limit: 5 }).records.map((run) => run.run_id)).toEqual([run_id]);
    for (const q of ['kestrel', 'linnet', 'merlin']) expect(index.list({ q, limit: 5 }).total).toBe(0);
  });
});

describe('a search', () => {
  test('lists the newest run first, and can filter by status and engine', async () => {
    const { runs, index } = await indexed();
    for (let number = 0; number < 12; number++) {
      const status = number % 2 === 0 ? 'failed' : 'succeeded';
      index.put(runs.add({ status, engine: number % 3 === 0 ? 'claude' : 'codex' }, [`common ${number}`]));
    }
    const search = (query: object) => {
      const { records, total } = index.list({ q: 'common', limit: 3, ...query });
      return { total, numbers: records.map(({ created_at }) => new Date(created_at).getUTCSeconds()) };
    };
    expect(search({})).toEqual({ total: 12, numbers: [11, 10, 9] });
    expect(search({ status: 'failed' })).toEqual({ total: 6, numbers: [10, 8, 6] });
    expect(search({ engine: 'claude' })).toEqual({ total: 4, numbers: [9, 6, 3] });
    expect(search({ status: 'failed', engine: 'claude' })).toEqual({ total: 2, numbers: [6, 0] });
    expect(search({ engine: '' })).toEqual({ total: 0, numbers: [] });
    expect(search({ status: 'canceled' })).toEqual({ total: 0, numbers: [] });
  });

  test('for spaces lists all runs', async () => {
    const { runs, index } = await indexed();
    index.put(runs.add());
    expect(index.list({ q: ' \n', limit: 1 }).total).toBe(1);
  });

  test('finds the latest message of an active run at once', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' });
    index.put(runs.write({ ...runs.add({ status: 'running' }) }));
    await index.refresh();
    const found = (q: string) => index.list({ q, limit: 1 }).total;
    for (const word of ['first', 'second', 'third']) {
      expect(found(word)).toBe(0);
      runs.say(run_id, word);
      expect(found(word)).toBe(1);
    }
    expect(found('first third')).toBe(1);
  });

  test('ignores an incomplete line until it is complete', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' }, ['whole']);
    const before = fs.readFileSync(runs.conversation(run_id), 'utf8');
    const line = before.replace('"seq":1', '"seq":2').replace('whole', 'torn');
    fs.appendFileSync(runs.conversation(run_id), line.slice(0, -20));
    await index.refresh();
    expect([index.list({ q: 'whole', limit: 1 }).total, index.list({ q: 'torn', limit: 1 }).total]).toEqual([1, 0]);
    fs.appendFileSync(runs.conversation(run_id), line.slice(-20));
    expect(index.list({ q: 'torn', limit: 1 }).total).toBe(1);
  });

  test('no longer finds lines that were removed from a conversation', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' }, ['one', 'two', 'three']);
    await index.refresh();
    expect(index.list({ q: 'three', limit: 1 }).total).toBe(1);
    const lines = fs.readFileSync(runs.conversation(run_id), 'utf8').split('\n');
    fs.writeFileSync(runs.conversation(run_id), `${lines.slice(0, 2).join('\n')}\n`);
    expect(index.list({ q: 'three', limit: 1 }).total).toBe(0);
    expect(index.list({ q: 'two', limit: 1 }).total).toBe(1);
    runs.say(run_id, 'four');
    expect(index.list({ q: 'one two four', limit: 1 }).total).toBe(1);
  });

  test.each([0, 1, 9])('follows a long conversation that lost its end and then got %i other messages', async (more) => {
    const { runs, index } = await indexed();
    const long = (name: string) => `${name} ${'lorem ipsum '.repeat(1500)}`;
    const { run_id } = runs.add({ status: 'running' }, ['one', 'two', 'three', 'four', 'five'].map(long));
    await index.refresh();
    const found = (q: string) => index.list({ q, limit: 1 }).total;
    expect(['one', 'three', 'five'].map(found)).toEqual([1, 1, 1]);
    const lines = fs.readFileSync(runs.conversation(run_id), 'utf8').split('\n');
    fs.writeFileSync(runs.conversation(run_id), `${lines[0]}\n`);
    for (let number = 0; number < more; number++) runs.say(run_id, long(`other${number}x`));
    expect(['one', 'two', 'three', 'five'].map(found)).toEqual([1, 0, 0, 0]);
    for (let number = 0; number < more; number++) expect(found(`other${number}x`)).toBe(1);
  });

  test('finds words of a long conversation together with those of the prompt and of nearby messages', async () => {
    const { runs, index } = await indexed();
    const filler = (name: string) => `${name} ${'lorem ipsum dolor sit amet '.repeat(400)}`;
    const names = Array.from({ length: 60 }, (_, number) => `chapter${number}x`);
    const record = runs.add({ status: 'running', command: ['codex', 'magnum opus'] }, names.map(filler));
    await index.refresh();
    for (const name of names) expect(index.list({ q: `${name} opus`, limit: 2 }).total, name).toBe(1);
    expect(index.list({ q: 'chapter10x chapter11x', limit: 2 }).total).toBe(1);
    // The next attempt has another command and the same text.
    index.put(runs.write({ ...record, status: 'succeeded', command: ['codex', 'resume'] }));
    expect(index.list({ q: 'chapter59x resume', limit: 2 }).total).toBe(1);
    expect(index.list({ q: 'chapter59x opus', limit: 2 }).total).toBe(0);
  });

  test('finds words after any amount of output that is not indexed', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' }, ['before']);
    for (let block = 0; block < 50; block++) {
      runs.append(run_id, 'raw.stdout', { text: 'noise '.repeat(10_000), lines: 1 });
    }
    runs.say(run_id, 'behind');
    await index.refresh();
    for (const q of ['before', 'behind']) expect(index.list({ q, limit: 1 }).total).toBe(1);
    runs.say(run_id, 'further');
    expect(index.list({ q: 'behind further', limit: 1 }).total).toBe(1);
  });

  test('works although a conversation is damaged or not a file', async () => {
    const { runs, index } = await indexed();
    const damaged: RunRecord = runs.add({}, ['first']);
    fs.appendFileSync(runs.conversation(damaged.run_id), '{"seq":2,"type":"user.message","data":nonsense\n\0\n');
    fs.appendFileSync(runs.conversation(damaged.run_id), '{"seq":4,"type":"user.message","data":{"text":7}}\n');
    runs.say(damaged.run_id, 'last');
    const folder = runs.add({ command: ['folder'] });
    fs.mkdirSync(runs.conversation(folder.run_id));
    for (const record of [damaged, folder]) index.put(record);
    for (const q of ['first last', 'folder']) expect(index.list({ q, limit: 5 }).total).toBe(1);
  });

  test('counts exactly up to ten thousand, and reports when there are more', async () => {
    const home = temporaryFolder();
    const runs = new RecordedRuns(home);
    const record = runs.add();
    const database = await makeIndexFile(path.join(home, 'index.db'));
    onTestFinished(() => database.close());
    const add = (number: number) => {
      const handle = number.toString(16).padStart(8, '0');
      const created_at = new Date(Date.parse(record.created_at) + number).toISOString();
      const run = { ...record, created_at, handle, run_id: `20261115T080000-codex-${handle}`, command: ['common'] };
      putRun(database, run);
      indexNextPage(database, run.run_id, runs.conversation(run.run_id));
    };
    const search = () => listRuns(database, { q: 'common', limit: 2 }).total;
    database.begin();
    for (let number = 0; number < 10_000; number++) add(number);
    expect(search()).toBe(10_000);
    add(10_000);
    add(10_001);
    expect(search()).toBe(10_001);
    expect(listRuns(database, { limit: 1 }).total).toBe(10_002);
  });

  test('accepts any query, and finds every word of a message', async () => {
    const { runs, index } = await indexed();
    const { run_id } = runs.add({ status: 'running' });
    await index.refresh();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (q) => {
        expect(index.list({ q, limit: 1 }).total).toBeLessThanOrEqual(1);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäß0-9_\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}]{1,12}$/u), (word) => {
        runs.say(run_id, `before ${word} after`);
        // Punctuation and marks alone are not a word.
        expect(index.list({ q: word, limit: 1 }).total).toBe(/^[\p{P}\p{M}]+$/u.test(word) ? 0 : 1);
        expect(index.list({ q: `after "${word} after"`, limit: 1 }).total).toBe(1);
      }),
      { numRuns: proofSize({ small: 20, full: 60 }) },
    );
    expect(index.list({ q: '長'.repeat(5000), limit: 1 }).total).toBe(0);
    expect(index.list({ q: 'word '.repeat(5000), limit: 1 }).total).toBe(0);
  });
});
