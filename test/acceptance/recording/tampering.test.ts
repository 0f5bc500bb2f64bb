import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeFolder, type Sandbox, sandbox } from '../../support/tacho.ts';

describe('`tacho verify` names the location of any change to a record', () => {
  test('verify passes on runs of every kind', async () => {
    const box = sandbox();
    const runs = [
      ['run', '--', 'true'],
      ['run', '--', 'bash', '-c', 'echo out; echo err >&2; echo file > made; exit 7'],
      ['run', '--capture', 'merged', '--', 'bash', '-c', 'echo one; echo two >&2'],
      ['run', '--capture', 'trace', '--keep-trace', '--', 'bash', '-c', 'echo traced'],
      ['run', '--level', 'standard', '--', 'echo', 'standard'],
      ['run', '--level', 'minimal', '--', 'echo', 'minimal'],
      ['run', '--timeout', '0.3', '--', 'sleep', '30'],
      ['run', '--', 'bash', '-c', 'kill -9 $$'],
    ];
    for (const args of runs) await box.here(args);
    expect(box.runIds()).toHaveLength(runs.length);
    for (const runId of box.runIds()) {
      const result = await box.here(['verify', runId]);
      expect({ runId, code: result.code, stdout: result.stdout }).toMatchObject({ code: 0 });
    }
  });

  test('one byte of stdout flipped: the byte is named', async () => {
    const box = await recorded();
    const file = path.join(box.audit(), 'stdout.1.log');
    const bytes = fs.readFileSync(file);
    bytes[1234] = bytes[1234]! ^ 1;
    fs.writeFileSync(file, bytes);
    expect(await problems(box)).toEqual([expect.objectContaining({ path: 'stdout.1.log', byte: 1234 })]);
  });

  test('one word of an event changed: the line is named', async () => {
    const box = await recorded();
    await edit(box, (lines) => lines.with(2, lines[2]!.replace(/number \d of/, 'number X of')));
    expect(await problems(box)).toEqual([expect.objectContaining({ path: 'events.jsonl', line: 3 })]);
  });

  test('one line deleted: the line is named', async () => {
    const box = await recorded();
    await edit(box, (lines) => lines.toSpliced(3, 1));
    expect(await problems(box)).toEqual([expect.objectContaining({ path: 'events.jsonl', line: 4 })]);
  });

  test('the last line deleted: the log is shorter than it was sealed', async () => {
    const box = await recorded();
    await edit(box, (lines) => lines.slice(0, -1));
    expect((await problems(box)).map(({ path: name }) => name)).toContain('events.jsonl');
  });

  test('two lines swapped: the first of them is named', async () => {
    const box = await recorded();
    await edit(box, (lines) => lines.with(2, lines[3]!).with(3, lines[2]!));
    expect(await problems(box)).toEqual([expect.objectContaining({ path: 'events.jsonl', line: 3 })]);
  });

  test('meta edited, a file removed, the seal edited', async () => {
    const box = await recorded();
    const at = (name: string) => path.join(box.audit(), name);
    fs.writeFileSync(
      at('meta.1.json'),
      fs.readFileSync(at('meta.1.json'), 'utf8').replace('"success": true', '"success": false'),
    );
    fs.rmSync(at('fs-after.1.json'));
    fs.writeFileSync(
      at('seal.1.json'),
      fs.readFileSync(at('seal.1.json'), 'utf8').replace('"attempt": 1', '"attempt": 1 '),
    );
    fs.writeFileSync(
      at('seal.1.json'),
      fs.readFileSync(at('seal.1.json'), 'utf8').replace(/"sealed_at": "2/, '"sealed_at": "3'),
    );
    const named = (await problems(box)).map(({ path: name }) => name);
    expect(named.sort()).toEqual(['fs-after.1.json', 'meta.1.json', 'seal.1.json']);
  });
});

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-tampering-'));
afterAll(() => removeFolder(home));

/** A sealed run with a few kilobytes of output and several events; each test gets a copy. */
async function recorded(): Promise<Sandbox> {
  const box = sandbox();
  if (!fs.existsSync(path.join(home, 'runs'))) {
    const script = 'for i in 1 2 3 4; do for j in $(seq 40); do echo "number $i of line $j"; done; sleep 0.12; done';
    await box.tacho(['run', '--data', home, '--', 'bash', '-c', script]);
    expect((await box.tacho(['verify', '--data', home, 'last'])).code).toBe(0);
  }
  fs.cpSync(home, box.home, { recursive: true });
  return box;
}

async function edit(box: Sandbox, change: (lines: string[]) => string[]): Promise<void> {
  const file = path.join(box.audit(), 'events.jsonl');
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const changed = change(lines);
  expect(changed).not.toEqual(lines);
  fs.writeFileSync(file, `${changed.join('\n')}\n`);
}

async function problems(box: Sandbox): Promise<{ path: string; byte: number | null; line: number | null }[]> {
  const answer = await box.jsonHere<{
    verdict: string;
    code: string;
    problems: { path: string; byte: number | null; line: number | null }[];
  }>(['verify', 'last']);
  expect(answer).toMatchObject({ verdict: 'changed', code: 'VERIFY_FAILED', finished: { code: 1 } });
  return answer.problems;
}
