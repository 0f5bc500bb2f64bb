import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import { streamOpenedSchema } from '../../src/protocol/index.ts';
import { IMPORT_CODEX, recordings } from '../support/recordings.ts';
import { finished, type Sandbox, sandbox, until } from '../support/tacho.ts';
import { deltaDraft, finalDraft, makeRun, rawDraft, statusDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { dataOf, openStream, readWhole, seqsOf } from './support/read-stream.ts';
import { serve } from './support/serve.ts';

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const recording = recordings();

async function imported() {
  const { box, run_id } = await recording(IMPORT_CODEX);
  const served = await serve({ director: memoryDirector(), home: box.home });
  return { box, run_id, served, events: box.events(run_id), base: `/v1/runs/${run_id}` };
}

/** A command that prints on request, recorded by `tacho run` in the data folder of the server. */
async function printing(box: Sandbox) {
  const running = box.start(['run', '--', 'sh', '-c', 'while read -r line; do echo "$line"; done']);
  const runId = await until(() => fs.existsSync(path.join(box.home, 'runs')) && box.runIds()[0]);
  await until(() => fs.existsSync(path.join(box.audit(runId), 'events.jsonl')));
  return {
    runId,
    recorded: finished(running),
    /** Lets it print a line, and waits until the line is recorded. */
    async print() {
      const before = box.events(runId).length;
      running.stdin!.write('a line\n');
      await until(() => box.events(runId).length > before);
    },
    end: () => void running.stdin!.end(),
  };
}

describe('a run that has ended', () => {
  test('is replayed completely, with the recorded bytes, and closed', async () => {
    const { box, run_id, served, events, base } = await imported();
    const frames = await readWhole(served, `${base}/events/stream`);
    const [opened, ...rest] = frames;
    expect(opened!.event).toBe('stream.opened');
    expect(streamOpenedSchema.parse(dataOf(opened))).toEqual({ resume: 'ok', from_seq: 1, head_seq: events.length });
    const closed = rest.pop()!;
    expect(closed.event).toBe('stream.closed');
    expect(dataOf(closed)).toEqual({ reason: 'terminal', last_seq: events.length });
    const lines = fs
      .readFileSync(path.join(box.audit(run_id), 'events.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(rest.map(({ event, id, data }) => [event, id, data])).toEqual(
      lines.map((line, index) => ['run_event', String(index + 1), line]),
    );
  });

  test('resumes at a cursor, which takes precedence over the header', async () => {
    const { served, events, base } = await imported();
    const last = events.length;
    const from = async (query: string, headers: Record<string, string> = {}) => {
      const frames = await readWhole(served, `${base}/events/stream${query}`, { headers });
      expect(dataOf(frames.at(-1))).toEqual({ reason: 'terminal', last_seq: last });
      return { ...dataOf(frames[0]), seqs: seqsOf(frames) };
    };
    expect(await from('?cursor=5')).toEqual({ resume: 'ok', from_seq: 6, head_seq: last, seqs: upTo(last, 6) });
    expect(await from('', { 'last-event-id': '5' })).toMatchObject({ resume: 'ok', seqs: upTo(last, 6) });
    expect(await from('?cursor=7', { 'last-event-id': '5' })).toMatchObject({ resume: 'ok', seqs: upTo(last, 8) });
    expect(await from(`?cursor=${last}`)).toEqual({ resume: 'ok', from_seq: last + 1, head_seq: last, seqs: [] });
    expect(await from('?cursor=0')).toMatchObject({ resume: 'ok', seqs: upTo(last) });
  });

  test('starts over if the cursor is of another run', async () => {
    const { served, events, base } = await imported();
    const last = events.length;
    for (const [query, header] of [
      [`?cursor=${last + 1}`, ''],
      ['', '999999'],
      ['', 'abc'],
      ['', '-1'],
      ['', '1.5'],
    ] as const) {
      const headers = header ? { 'last-event-id': header } : {};
      const frames = await readWhole(served, `${base}/events/stream${query}`, { headers });
      expect(dataOf(frames[0])).toEqual({ resume: 'reset', from_seq: 1, head_seq: last });
      expect(seqsOf(frames)).toEqual(upTo(last));
    }
    const { response } = await openStream(served, `${base}/events/stream?cursor=abc`);
    expect(response.statusCode).toBe(400);
  });

  test('streams the same conversation from its file or folded from events', async () => {
    const { box, run_id, served, events, base } = await imported();
    const folded = foldConversation(events);
    const check = async (server: typeof served) => {
      const frames = await readWhole(server, `${base}/conversation/stream`);
      expect(dataOf(frames[0])).toEqual({ resume: 'ok', from_seq: 1, head_seq: folded.length });
      expect(frames.slice(1, -1).map((frame) => [frame.event, frame.id, dataOf(frame)])).toEqual(
        folded.map((message) => ['chat_event', String(message.seq), message]),
      );
      expect(dataOf(frames.at(-1))).toEqual({ reason: 'terminal', last_seq: folded.length });
      const later = await readWhole(server, `${base}/conversation/stream?cursor=3`);
      expect(seqsOf(later, 'chat_event')).toEqual(upTo(folded.length, 4));
    };
    await check(served);
    fs.rmSync(path.join(box.audit(run_id), 'conversation.jsonl'));
    await served.server.close();
    const again = await serve({ director: memoryDirector(), home: box.home });
    await check(again);
    await again.server.close();
    expect(fs.readdirSync(path.join(box.home, 'cache/conversations'))).toEqual([]);
  });

  test('leaves deltas out on request; the numbers stay the same', async () => {
    const box = sandbox();
    const run = await makeRun(box.home, 'succeeded');
    await run.append([deltaDraft('a'), deltaDraft('b'), finalDraft('ab'), deltaDraft('c'), statusDraft('succeeded')]);
    const served = await serve({ director: memoryDirector(), home: box.home });
    const base = `/v1/runs/${run.folder.runId}`;
    expect(seqsOf(await readWhole(served, `${base}/events/stream`))).toEqual([1, 2, 3, 4, 5]);
    expect(seqsOf(await readWhole(served, `${base}/events/stream?deltas=1`))).toEqual([1, 2, 3, 4, 5]);
    expect(seqsOf(await readWhole(served, `${base}/events/stream?deltas=0`))).toEqual([3, 5]);
    expect(seqsOf(await readWhole(served, `${base}/events/stream?deltas=0&cursor=3`))).toEqual([5]);
    const chat = await readWhole(served, `${base}/conversation/stream?deltas=0`);
    expect(chat.some(({ data }) => data.includes('assistant.message.delta'))).toBe(false);
  });
});

describe('an active run', () => {
  test('is replayed and then followed without gaps or duplicates, whenever a reader connects', async () => {
    const box = sandbox();
    const served = await serve({ home: box.home });
    const { runId, recorded, print, end } = await printing(box);
    const readers = [];
    const base = `/v1/runs/${runId}`;
    for (let round = 0; round < 6; round++) {
      readers.push({ from: 0, kind: 'run_event', stream: await openStream(served, `${base}/events/stream`) });
      readers.push({ from: 0, kind: 'chat_event', stream: await openStream(served, `${base}/conversation/stream`) });
      readers.push({ from: 2, kind: 'run_event', stream: await openStream(served, `${base}/events/stream?cursor=2`) });
      for (let lines = 0; lines < 4; lines++) await print();
    }
    end();
    await Promise.all(readers.map(({ stream }) => stream.ended));
    expect((await recorded).code).toBe(0);
    const events = box.events(runId);
    const messages = foldConversation(events);
    expect(events.length).toBeGreaterThan(20);
    for (const { from, kind, stream } of readers) {
      const last = kind === 'run_event' ? events.length : messages.length;
      const start = dataOf(stream.frames[0]).resume === 'ok' ? from : 0;
      expect(seqsOf(stream.frames, kind)).toEqual(upTo(last, start + 1));
      expect(dataOf(stream.frames.at(-1))).toEqual({ reason: 'terminal', last_seq: last });
    }
  });

  test('resumes where a reader lost the connection', async () => {
    const box = sandbox();
    const served = await serve({ home: box.home });
    const { runId, recorded, print, end } = await printing(box);
    const seen: number[] = [];
    for (let connection = 1; connection <= 5; connection++) {
      const stream = await openStream(served, `/v1/runs/${runId}/events/stream`, {
        headers: { 'last-event-id': String(seen.at(-1) ?? 0) },
      });
      await stream.frame(({ event }) => event === 'stream.opened');
      await print();
      if (connection === 5) end();
      else {
        const last = box.events(runId).length;
        await stream.frame(({ id }) => Number(id) >= last);
        stream.hangUp();
      }
      await stream.ended;
      expect(dataOf(stream.frames[0]).resume).toBe('ok');
      seen.push(...seqsOf(stream.frames));
    }
    await recorded;
    expect(seen).toEqual(upTo(box.events(runId).length));
  });

  test('may not have started yet', async () => {
    const box = sandbox();
    const run = await makeRun(box.home, 'queued');
    const served = await serve({ director: memoryDirector(), home: box.home });
    const base = `/v1/runs/${run.folder.runId}`;
    const streams = [
      await openStream(served, `${base}/events/stream`),
      await openStream(served, `${base}/conversation/stream`),
    ];
    for (const stream of streams) {
      const opened = await stream.frame(({ event }) => event === 'stream.opened');
      expect(dataOf(opened)).toEqual({ resume: 'ok', from_seq: 1, head_seq: 0 });
    }
    await run.append([statusDraft('running'), rawDraft('hello\n')]);
    await run.append([statusDraft('succeeded')]);
    await Promise.all(streams.map(({ ended }) => ended));
    expect(seqsOf(streams[0]!.frames)).toEqual([1, 2, 3]);
    expect(streams[1]!.frames.map((frame) => dataOf(frame).type ?? frame.event)).toEqual([
      'stream.opened',
      'conversation.state.changed',
      'raw.stdout',
      'conversation.state.changed',
      'conversation.completed',
      'stream.closed',
    ]);
  });

  test('that waits for a reply keeps its stream open, with a heartbeat, until it has ended', async () => {
    const box = sandbox();
    const run = await makeRun(box.home, 'waiting_user');
    await run.append([statusDraft('running'), statusDraft('waiting_user')]);
    const served = await serve({ director: memoryDirector(), home: box.home, heartbeatMs: 20 });
    const stream = await openStream(served, `/v1/runs/${run.folder.runId}/events/stream`);
    await stream.frame(({ id }) => id === '2');
    await until(() => stream.comments() >= 3);
    expect(seqsOf(stream.frames)).toEqual([1, 2]);
    await run.append([statusDraft('queued'), statusDraft('running')]);
    await run.append([statusDraft('canceled')]);
    await stream.ended;
    expect(seqsOf(stream.frames)).toEqual([1, 2, 3, 4, 5]);
  });

  test('that was reopened does not close its stream at its earlier end', async () => {
    const box = sandbox();
    const run = await makeRun(box.home, 'running');
    await run.append([statusDraft('running'), statusDraft('succeeded'), statusDraft('queued'), statusDraft('running')]);
    const served = await serve({ director: memoryDirector(), home: box.home });
    const stream = await openStream(served, `/v1/runs/${run.folder.runId}/events/stream`);
    await stream.frame(({ id }) => id === '4');
    await run.append([statusDraft('failed')]);
    await stream.ended;
    expect(seqsOf(stream.frames)).toEqual([1, 2, 3, 4, 5]);
  });

  test('whose end is only in its run record closes its stream', async () => {
    const box = sandbox();
    const run = await makeRun(box.home, 'running');
    await run.append([statusDraft('running')]);
    const served = await serve({ director: memoryDirector(), home: box.home, heartbeatMs: 600_000 });
    const stream = await openStream(served, `/v1/runs/${run.folder.runId}/events/stream`);
    await stream.frame(({ id }) => id === '1');
    run.setStatus('failed');
    await stream.ended;
    expect(dataOf(stream.frames.at(-1))).toEqual({ reason: 'terminal', last_seq: 1 });
  });
});

test('a stream reports that its run was removed or that its log is damaged', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'waiting_user');
  await run.append([statusDraft('running')]);
  const director = memoryDirector();
  const served = await serve({ director, home: box.home });
  const base = `/v1/runs/${run.folder.runId}`;
  const stream = await openStream(served, `${base}/events/stream`);
  await stream.frame(({ id }) => id === '1');
  director.tell({ removed: run.folder.runId });
  await stream.ended;
  expect(dataOf(stream.frames.at(-1))).toEqual({ reason: 'removed', last_seq: 1 });

  const broken = await openStream(served, `${base}/events/stream`);
  await broken.frame(({ id }) => id === '1');
  fs.appendFileSync(path.join(run.folder.audit, 'events.jsonl'), 'no event\n');
  await broken.ended;
  expect(dataOf(broken.frames.at(-1))).toMatchObject({ reason: 'error', error: { code: 'JOURNAL_DAMAGED' } });
});

test('a reader that disconnects is released, also before its first frame', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'waiting_user');
  await run.append([statusDraft('running')]);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const base = `/v1/runs/${run.folder.runId}`;
  const stream = await openStream(served, `${base}/events/stream`);
  await stream.frame(({ id }) => id === '1');
  const readers = async () => {
    const { text } = await served.ask('/metrics');
    return [...text.matchAll(/^tacho_sse_readers\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  expect(await readers()).toBe(1);
  stream.hangUp();
  const gone: Promise<unknown>[] = [];
  for (const rest of [`${base}/conversation/stream`, `${base}/events/stream`, '/v1/stream']) {
    for (let n = 0; n < 10; n++) {
      const socket = net.connect(served.port, '127.0.0.1');
      gone.push(new Promise((resolve) => socket.once('close', resolve)));
      const head = `GET ${rest} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${served.headersFor('read').authorization}\r\n\r\n`;
      socket.write(head, () => setTimeout(() => socket.destroy(), n / 3));
    }
  }
  await Promise.all(gone);
  for (let count = await readers(); count !== 0; count = await readers());
});

test('curl can read a stream', async () => {
  const { served, events, base } = await imported();
  const curl = spawn('curl', [
    '-sN',
    '-H',
    `authorization: ${served.headersFor('read').authorization}`,
    `${served.url}${base}/events/stream`,
  ]);
  const { stdout, code } = await finished(curl);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^event: stream\.opened\ndata: \{/);
  expect(stdout.match(/^id: \d+\nevent: run_event\ndata: .*\n\n/gm)).toHaveLength(events.length);
  expect(stdout).toMatch(/\n\nevent: stream\.closed\ndata: \{"reason":"terminal","last_seq":\d+\}\n\n$/);
});
