import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isEvent, linesAnswerSchema, searchAnswerSchema, timingAnswerSchema } from '../../src/protocol/index.ts';
import { recordings } from '../support/recordings.ts';
import { finished, readEvents, sandbox, temporaryFolder, until } from '../support/tacho.ts';
import { makeRun } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { serve } from './support/serve.ts';

const recording = recordings();

async function recorded(...command: string[]) {
  const { box, run_id } = await recording(['run', '--', ...command]);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const file = (name: string) => fs.readFileSync(path.join(box.audit(run_id), name));
  const raw = (rest: string, headers: Record<string, string> = {}) =>
    served.ask(`/v1/runs/${run_id}/raw/${rest}`, { headers });
  return { box, run_id, served, file, raw };
}

/** Records a script that runs each step only after the output of the previous one is recorded. */
async function recordedInSteps(steps: readonly { script: string; kept: (audit: string) => boolean }[]) {
  const box = sandbox();
  const gate = (n: number) => path.join(box.home, `gate-${n}`);
  const script = steps.map(({ script }, n) => `while [ ! -e '${gate(n)}' ]; do sleep 0.02; done; ${script}`).join('; ');
  const running = box.start(['run', '--', 'sh', '-c', script]);
  running.stdin!.end();
  const ended = finished(running);
  const run_id = await until(() => fs.existsSync(path.join(box.home, 'runs')) && box.runIds()[0]);
  const audit = box.audit(run_id);
  for (const [n, { kept }] of steps.entries()) {
    fs.writeFileSync(gate(n), '');
    await until(() => kept(audit));
  }
  expect((await ended).code).toBe(0);
  const served = await serve({ director: memoryDirector(), home: box.home });
  return { box, run_id, served, audit };
}

/** Replaces the recorded bytes, for content that would take long to print. */
async function withStdout(content: Buffer) {
  const run = await recorded('true');
  fs.writeFileSync(path.join(run.box.audit(run.run_id), 'stdout.1.log'), content);
  return run;
}

function eventOf(audit: string, text: string) {
  const file = path.join(audit, 'events.jsonl');
  const events = fs.existsSync(file) ? readEvents(file) : [];
  return events.find((event) => isEvent(event, 'raw.stdout') && event.data.text === text);
}

function sizeOf(audit: string, name: string): number | undefined {
  return fs.statSync(path.join(audit, name), { throwIfNoEntry: false })?.size;
}

describe('bytes', () => {
  test('a stream is sent byte for byte', async () => {
    const { raw, file } = await recorded('sh', '-c', "printf 'a\\000\\377b'; printf 'oops' >&2");
    const stdout = await raw('stdout.1');
    expect(stdout).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', 'content-length': '4' },
    });
    expect(stdout.bytes).toEqual(Buffer.from([0x61, 0x00, 0xff, 0x62]));
    expect((await raw('stderr.1')).text).toBe('oops');
    expect((await raw('stdin.1')).bytes).toHaveLength(0);
    const pty = await raw('pty.1');
    expect(pty.bytes).toEqual(file('pty-output.1.log'));
    expect(pty.bytes.subarray(Number(pty.headers['x-tacho-header-bytes'])).includes('oops')).toBe(true);
  });

  test('a requested range is sent', async () => {
    const { raw } = await withStdout(Buffer.from('0123456789'));
    const part = async (range: string) => {
      const { status, headers, text } = await raw('stdout.1', { range });
      return [status, headers['content-range'] ?? null, headers['content-length'], text];
    };
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '3', '234']);
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '3', '789']);
    expect(await part('bytes=-4')).toEqual([206, 'bytes 6-9/10', '4', '6789']);
    expect(await part('bytes=0-99')).toEqual([206, 'bytes 0-9/10', '10', '0123456789']);
    for (const all of ['bytes=0-1,4-5', 'lines=0-1', 'bytes=4-2', 'nonsense']) {
      expect(await part(all), all).toEqual([200, null, '10', '0123456789']);
    }
    const beyond = await raw('stdout.1', { range: 'bytes=10-' });
    expect(beyond).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */10' },
      json: { error: { code: 'INVALID_REQUEST', details: { size: 10 } } },
    });
    expect((await raw('stdout.1', { range: 'bytes=2-4', 'if-range': '"x"' })).status).toBe(200);
  });

  test('HEAD returns the size without content', async () => {
    const { served, run_id } = await withStdout(Buffer.from('0123456789'));
    const answer = await served.ask(`/v1/runs/${run_id}/raw/stdout.1`, { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '10' } });
    expect(answer.bytes).toHaveLength(0);
  });

  test('the bytes of an event can be fetched', async () => {
    const printed = (word: string) => ({
      script: `echo ${word}`,
      kept: (audit: string) => eventOf(audit, `${word}\n`) !== undefined,
    });
    const { served, run_id, audit } = await recordedInSteps([printed('one'), printed('two')]);
    const ref = eventOf(audit, 'two\n')!.raw_ref as { stream: string; byte_from: number; byte_to: number };
    const range = `bytes=${ref.byte_from}-${ref.byte_to - 1}`;
    const { text } = await served.ask(`/v1/runs/${run_id}/raw/${ref.stream}.1`, { headers: { range } });
    expect(text).toBe('two\n');
  });

  test('unknown streams and attempts are 404', async () => {
    const { raw, served, run_id } = await recorded('true');
    const names = [
      'meta.1',
      'stdout.2',
      'stdout.0',
      'stdout.-1',
      'stdout.1.log',
      'stdout',
      'stdout.1e9',
      'pty-output.1',
    ];
    for (const name of [...names, 'stdout.1%2f..%2fmeta', '..%2f..%2f.run.json', '%2fetc%2fpasswd.1', 'stdout.01x']) {
      for (const rest of ['', '/search?q=a', '/lines']) {
        expect((await raw(`${name}${rest}`)).status, `${name}${rest}`).toBe(404);
      }
    }
    for (const attempt of ['0', '2', 'x', '1.5']) {
      expect((await served.ask(`/v1/runs/${run_id}/timing/${attempt}`)).status, attempt).toBe(404);
    }
  });

  test('a file that was replaced by a link is not followed', async () => {
    const { raw, box, run_id } = await recorded('true');
    const file = path.join(box.audit(run_id), 'stdout.1.log');
    fs.rmSync(file);
    fs.symlinkSync('/etc/passwd', file);
    for (const rest of ['', '/search?q=root', '/lines']) expect((await raw(`stdout.1${rest}`)).status).toBe(404);
  });
});

describe('search', () => {
  test('a text is found anywhere, also across read blocks', async () => {
    const mebibyte = 1024 * 1024;
    const content = Buffer.alloc(3 * mebibyte, 'x');
    const places = [0, mebibyte - 3, 2 * mebibyte - 1, 2 * mebibyte + 5, content.length - 6];
    for (const place of places) content.write('needle', place);
    const { raw } = await withStdout(content);
    const { matches, ...rest } = searchAnswerSchema.parse((await raw('stdout.1/search?q=needle')).json);
    expect(matches.map(({ byte_from, byte_to }) => [byte_from, byte_to])).toEqual(places.map((at) => [at, at + 6]));
    expect(rest).toEqual({ next_from: null, size: content.length });
    for (const { line } of matches) {
      expect(line).toMatchObject({ line: 1, byte_from: 0, byte_to: content.length, truncated: true });
      expect(line.text).toContain('needle');
    }
  });

  test('each match comes with its line', async () => {
    const { raw } = await withStdout(Buffer.from('first\r\nsecond wörd and wörd\nthird\nwörd'));
    const { matches } = searchAnswerSchema.parse((await raw(`stdout.1/search?q=${encodeURIComponent('wörd')}`)).json);
    const second = { line: 2, byte_from: 7, byte_to: 29, text: 'second wörd and wörd', truncated: false };
    expect(matches).toEqual([
      { byte_from: 14, byte_to: 19, line: second },
      { byte_from: 24, byte_to: 29, line: second },
      { byte_from: 36, byte_to: 41, line: { line: 4, byte_from: 36, byte_to: 41, text: 'wörd', truncated: false } },
    ]);
  });

  test('a search resumes at its cursor, with correct line numbers', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1} here`);
    const { raw } = await withStdout(Buffer.from(`${lines.join('\n')}\n`));
    const found: number[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const answer = searchAnswerSchema.parse((await raw(`stdout.1/search?q=here&limit=7&from=${from}`)).json);
      found.push(...answer.matches.map(({ line }) => line.line));
      from = answer.next_from;
    }
    expect(found).toEqual(lines.map((_, index) => index + 1));
  });

  test('case can be ignored; matches do not overlap', async () => {
    const { raw } = await withStdout(Buffer.from('Error error ERROR aaaa'));
    const places = async (query: string) =>
      (await raw(`stdout.1/search?${query}`)).json.matches.map(({ byte_from }: { byte_from: number }) => byte_from);
    expect(await places('q=error')).toEqual([6]);
    expect(await places('q=eRRor&ignore_case=1')).toEqual([0, 6, 12]);
    expect(await places('q=aa')).toEqual([18, 20]);
    expect(await places('q=nothing')).toEqual([]);
    for (const wrong of ['q=', '', 'q=a&limit=0', 'q=a&from=-1']) {
      expect((await raw(`stdout.1/search?${wrong}`)).status, wrong).toBe(400);
    }
  });
});

describe('lines', () => {
  const content = Buffer.from(Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n'));

  test('the lines around a byte are those before it, its own and those after it', async () => {
    const { raw } = await withStdout(content);
    const lines = async (query: string) => {
      const answer = linesAnswerSchema.parse((await raw(`stdout.1/lines?${query}`)).json);
      expect(answer.size).toBe(content.length);
      for (const { text, byte_from, byte_to } of answer.lines) {
        expect(content.subarray(byte_from, byte_to).toString()).toBe(text);
      }
      return answer.lines.map(({ line, text }) => [line, text]);
    };
    const around = content.indexOf('line 50') + 3;
    const expected = [49, 50, 51, 52].map((line) => [line, `line ${line}`]);
    expect(await lines(`around=${around}&before=1&after=2`)).toEqual(expected);
    expect(await lines(`around=${content.indexOf('line 50')}&before=0&after=0`)).toEqual([[50, 'line 50']]);
    expect(await lines(`around=${content.indexOf('line 51') - 1}&limit=1`)).toEqual([[50, 'line 50']]);
    expect(await lines(`around=0&before=5&after=1`)).toEqual(
      expected.slice(0, 0).concat([
        [1, 'line 1'],
        [2, 'line 2'],
      ]),
    );
    expect(await lines('around=99999999&limit=3')).toEqual([
      [99, 'line 99'],
      [100, 'line 100'],
    ]);
    expect(await lines('around=0')).toHaveLength(21);
    expect(await lines(`around=${around}&limit=7`)).toHaveLength(7);
  });

  test('a long line is truncated, an empty file has no lines', async () => {
    const long = await withStdout(Buffer.from(`short\n${'y'.repeat(100_000)}\nend`));
    const { lines } = linesAnswerSchema.parse((await long.raw('stdout.1/lines?around=50000')).json);
    expect(lines.map(({ text, truncated }) => [text.length, truncated])).toEqual([
      [5, false],
      [4096, true],
      [3, false],
    ]);
    const empty = await withStdout(Buffer.alloc(0));
    expect((await empty.raw('stdout.1/lines?around=5')).json).toEqual({ lines: [], size: 0 });
  });
});

describe('timing', () => {
  test('of an attempt without output is empty; of an attempt that was never started it is 404', async () => {
    const home = temporaryFolder();
    const { folder } = await makeRun(home, 'queued');
    const served = await serve({ home, director: memoryDirector() });
    const ask = async (attempt: number) => (await served.ask(`/v1/runs/${folder.runId}/timing/${attempt}`)).status;
    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([404, 200, 404]);
    const { json } = await served.ask(`/v1/runs/${folder.runId}/timing/2`);
    expect(timingAnswerSchema.parse(json)).toMatchObject({ chunks: [], total: 0, first_ts: null });
  });

  test('each byte has the time at which it was read, and each time its bytes', async () => {
    const { served, run_id, audit } = await recordedInSteps([
      { script: 'printf one', kept: (folder) => sizeOf(folder, 'stdout.1.log') === 3 },
      { script: 'sleep 0.02; printf err >&2', kept: (folder) => sizeOf(folder, 'stderr.1.log') === 3 },
      { script: 'sleep 0.02; printf two', kept: (folder) => sizeOf(folder, 'stdout.1.log') === 6 },
    ]);
    const timing = async (query = '') =>
      timingAnswerSchema.parse((await served.ask(`/v1/runs/${run_id}/timing/1${query}`)).json);
    const all = await timing();
    const output = all.chunks.filter(({ stream }) => stream === 'stdout' || stream === 'stderr');
    expect(output.map(({ stream, byte_from, byte_to }) => [stream, byte_from, byte_to])).toEqual([
      ['stdout', 0, 3],
      ['stderr', 0, 3],
      ['stdout', 3, 6],
    ]);
    expect(output[2]!.time_us).toBeGreaterThan(output[1]!.time_us);
    expect(all).toMatchObject({ at: null, next_cursor: null, total: all.chunks.length });
    expect(all.bytes).toEqual({ stdin: 0, stdout: 6, stderr: 3, pty: sizeOf(audit, 'pty-output.1.log') });

    const first = await timing('?stream=stdout&byte=1&limit=0');
    expect(first).toMatchObject({ chunks: [], at: { ts: all.first_ts } });
    const last = await timing('?stream=stdout&byte=3');
    expect(Date.parse(last.at!.ts!)).toBeGreaterThan(Date.parse(first.at!.ts!));
    const merged = await timing(`?stream=pty&byte=${all.bytes.pty! - 1}`);
    expect(merged.at!.ts).toBe(last.at!.ts);
    expect((await timing('?stream=stdout&byte=6')).at).toEqual({ ts: null, bytes: {} });

    const between = new Date(Date.parse(last.at!.ts!) - 1).toISOString();
    expect((await timing(`?ts=${between}`)).at).toMatchObject({ bytes: { stdout: 3, stderr: 3 } });
    expect((await timing('?ts=2001-01-01T00:00:00Z')).at).toMatchObject({ bytes: { stdout: 0, stderr: 0 } });
    expect((await timing('?limit=1&cursor=1')).chunks).toEqual([all.chunks[1]]);
    expect((await served.ask(`/v1/runs/${run_id}/timing/1?byte=1`)).status).toBe(400);
  });

  test('with one terminal for both streams everything is in pty', async () => {
    const box = sandbox();
    const { run_id } = await box.jsonHere(['run', '--capture', 'merged', '--', 'printf', 'hello']);
    const { ask } = await serve({ director: memoryDirector(), home: box.home });
    const answer = timingAnswerSchema.parse((await ask(`/v1/runs/${run_id}/timing/1`)).json);
    const [chunk] = answer.chunks.filter(({ stream }) => stream === 'pty');
    const { bytes } = await ask(`/v1/runs/${run_id}/raw/pty.1`, {
      headers: { range: `bytes=${chunk!.byte_from}-${chunk!.byte_to! - 1}` },
    });
    expect(bytes.toString()).toBe('hello');
  });
});
