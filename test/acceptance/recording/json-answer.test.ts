import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox } from '../../support/tacho.ts';

describe('`tacho run --json` prints one object, and a second attempt does not change the first', () => {
  const command = ['--', 'bash', '-c', 'echo out; echo err >&2; exit 3'];

  test('the answer and the files of the first attempt', async () => {
    const { json, audit } = sandbox();
    const answer = await json(['run', ...command]);
    expect(answer.finished.code).toBe(3);
    expect(answer).toMatchObject({
      attempt: 1,
      exit_code: 3,
      signal: null,
      completion: { state: 'interrupted', reason_code: 'EXIT_NONZERO' },
    });
    expect(answer.run_dir).toBe(path.dirname(audit(answer.run_id)));
    const read = (name: string) => fs.readFileSync(path.join(audit(), name), 'latin1');
    expect(read('stdout.1.log')).toBe('out\n');
    expect(read('stderr.1.log')).toBe('err\n');
    for (const name of ['meta.1.json', 'fs-diff.1.json', 'seal.1.json']) expect(JSON.parse(read(name))).toBeTruthy();
  });

  test('the second attempt does not change the first, and event numbers continue', async () => {
    const { json, audit, events } = sandbox();
    const first = await json(['run', ...command]);
    const files = fs.readdirSync(audit()).filter((name) => name.includes('.1.'));
    const before = files.map((name) => fs.readFileSync(path.join(audit(), name)));
    const eventsBefore = fs.readFileSync(path.join(audit(), 'events.jsonl'));

    const second = await json(['run', '--run-dir', first.run_id.slice(-8), '--', 'bash', '-c', 'echo again']);
    expect(second).toMatchObject({ run_id: first.run_id, attempt: 2, exit_code: 0, finished: { code: 0 } });
    files.forEach((name, index) => {
      expect(fs.readFileSync(path.join(audit(), name)).equals(before[index]!), name).toBe(true);
    });
    expect(fs.readFileSync(path.join(audit(), 'stdout.2.log'), 'latin1')).toBe('again\n');
    const all = events();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(new Set(all.map(({ attempt_number }) => attempt_number))).toEqual(new Set([1, 2]));
    const eventsAfter = fs.readFileSync(path.join(audit(), 'events.jsonl'));
    expect(eventsAfter.subarray(0, eventsBefore.length).equals(eventsBefore)).toBe(true);
  });

  test('stdout contains only the object, and the output goes to stderr', async () => {
    const { tacho, home } = sandbox();
    const { stdout, stderr } = await tacho(['run', '--json', '--', 'sh', '-c', 'echo one; printf two']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', run_dir: expect.stringContaining(home) });
    expect(stderr).toBe('one\ntwo');
  });

  test.each([
    ['1', { summary: { engine: 'demo', status: 'succeeded' } }],
    ['2', { conversation: expect.arrayContaining([expect.objectContaining({ type: 'conversation.completed' })]) }],
    ['3', {}],
  ])('the translation of --translate %s is part of the object', async (level, expected) => {
    const { tacho } = sandbox();
    const words = ['run', 'demo', '--json', '--translate', level, '--engine-arg=--pace=0', '--', 'hello'];
    const { stdout, stderr } = await tacho(words);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', ...expected });
    expect(stderr).toBe('');
  });
});
