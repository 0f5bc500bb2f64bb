import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import type { FcmpMessage, RaspEvent } from '../../src/protocol/index.ts';
import { IMPORT_CODEX, recordings } from '../support/recordings.ts';
import { sandbox } from '../support/tacho.ts';
import { deltaDraft, finalDraft, makeRun, rawDraft, statusDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { serve } from './support/serve.ts';

const recording = recordings();

async function imported() {
  const { box, run_id } = await recording(IMPORT_CODEX);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const page = async (query = '', kind = 'events') => (await served.ask(`/v1/runs/${run_id}/${kind}${query}`)).json;
  return { box, run_id, served, page, events: box.events(run_id) };
}

const seqs = (page: { events: { seq: number }[] }) => page.events.map(({ seq }) => seq);

test('a page of events has the recorded bytes', async () => {
  const { box, run_id, served, events } = await imported();
  const { text } = await served.ask(`/v1/runs/${run_id}/events?limit=10000&deltas=1`);
  const kept = fs
    .readFileSync(path.join(box.audit(run_id), 'events.jsonl'), 'utf8')
    .trimEnd()
    .replaceAll('\n', ',');
  expect(text).toBe(`{"events":[${kept}],"next_cursor":null,"total":${events.length}}`);
});

test('pages follow each other without duplicate or missing events', async () => {
  const { page, events } = await imported();
  const read: number[] = [];
  let cursor: number | null = 0;
  let pages = 0;
  while (cursor !== null) {
    const part: { events: RaspEvent[]; next_cursor: number | null; total: number } = await page(
      `?limit=3&cursor=${cursor}`,
    );
    expect(part.total).toBe(events.length);
    read.push(...seqs(part));
    cursor = part.next_cursor;
    pages++;
  }
  expect(read).toEqual(events.map(({ seq }) => seq));
  expect(pages).toBe(Math.ceil(events.length / 3));
});

test('events are found by number and by time, both ends included', async () => {
  const { page, events } = await imported();
  expect(seqs(await page('?from_seq=3&to_seq=5'))).toEqual([3, 4, 5]);
  expect(seqs(await page('?from_seq=3&limit=1'))).toEqual([3]);
  expect(await page(`?from_seq=${events.length + 1}`)).toEqual({ events: [], next_cursor: null, total: events.length });
  const { ts } = events[4]!;
  const same = events.filter((event) => event.ts === ts).map(({ seq }) => seq);
  expect(seqs(await page(`?from_ts=${ts}&to_ts=${ts}`))).toEqual(same);
  expect(seqs(await page('?to_ts=2001-01-01T00:00:00Z'))).toEqual([]);
  expect(seqs(await page('?from_ts=2001-01-01T01:00:00%2B01:00'))).toHaveLength(events.length);
});

test('events are found by type, by type prefix, and by several types', async () => {
  const { page, events } = await imported();
  const of = (...beginnings: string[]) =>
    events.filter(({ event }) => beginnings.some((word) => event.type.startsWith(word))).map(({ seq }) => seq);
  expect(of('tool.').length).toBeGreaterThan(1);
  expect(seqs(await page('?type=tool'))).toEqual(of('tool.'));
  expect(seqs(await page('?type=tool.call.started'))).toEqual(of('tool.call.started'));
  expect(seqs(await page('?type=tool,lifecycle.completion'))).toEqual(of('tool.', 'lifecycle.completion.'));
  expect(seqs(await page('?type=too'))).toEqual([]);
  const first = await page('?type=tool&limit=1');
  expect(first.next_cursor).not.toBeNull();
  expect(seqs(await page(`?type=tool&cursor=${first.next_cursor}`))).toEqual(of('tool.').slice(1));
});

test('history leaves deltas out unless requested', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'succeeded');
  const trap = rawDraft('"event":{"category":"agent","type":"agent.message.delta"}');
  await run.append([
    statusDraft('running'),
    deltaDraft('a'),
    trap,
    deltaDraft('b'),
    finalDraft('ab'),
    statusDraft('succeeded'),
  ]);
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const page = async (rest: string) => (await ask(`/v1/runs/${run.folder.runId}/${rest}`)).json;
  expect(seqs(await page('events'))).toEqual([1, 3, 5, 6]);
  expect(seqs(await page('events?deltas=0'))).toEqual([1, 3, 5, 6]);
  expect(seqs(await page('events?deltas=1'))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(seqs(await page('events?type=agent.message.delta'))).toEqual([2, 4]);
  const types = (messages: FcmpMessage[]) => messages.map(({ type }) => type);
  expect(types((await page('conversation')).events)).not.toContain('assistant.message.delta');
  expect(types((await page('conversation?deltas=1')).events)).toContain('assistant.message.delta');
});

test('a conversation is the same from its file and folded from the events', async () => {
  const { box, run_id, served, page, events } = await imported();
  const folded = foldConversation(events);
  const kept = await page('?deltas=1&limit=1000', 'conversation');
  expect(kept).toEqual({ events: folded, next_cursor: null, total: folded.length });
  expect(await page('?from_seq=2&to_seq=4&deltas=1', 'conversation')).toMatchObject({ events: folded.slice(1, 4) });
  const { ts } = folded[2]!;
  expect((await page(`?from_ts=${ts}&to_ts=${ts}&deltas=1`, 'conversation')).events).toEqual(
    folded.filter((message) => message.ts === ts),
  );

  fs.rmSync(path.join(box.audit(run_id), 'conversation.jsonl'));
  const again = await serve({ director: memoryDirector(), home: box.home });
  const answer = await again.ask(`/v1/runs/${run_id}/conversation?deltas=1&limit=1000`);
  expect(answer.json).toEqual(kept);
  await served.server.close();
});

test('a page has a maximum size in bytes', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'succeeded');
  for (let n = 0; n < 10; n++) await run.append([rawDraft('x'.repeat(900_000))]);
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  const first = (await ask(`/v1/runs/${run.folder.runId}/events`)).json;
  expect({ ...first, events: seqs(first) }).toEqual({ events: [1, 2, 3, 4], next_cursor: 4, total: 10 });
});

test('a queued run without a single event has an empty history', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'queued');
  const { ask } = await serve({ director: memoryDirector(), home: box.home });
  for (const kind of ['events', 'conversation']) {
    const empty = { events: [], next_cursor: null, total: 0 };
    expect((await ask(`/v1/runs/${run.folder.runId}/${kind}`)).json, kind).toEqual(empty);
  }
});

test('a damaged log is reported', async () => {
  const { box, run_id, page } = await imported();
  const file = path.join(box.audit(run_id), 'events.jsonl');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  fs.writeFileSync(file, [...lines.slice(0, 2), 'not an event', ...lines.slice(3)].join('\n'));
  expect(await page('?limit=1000')).toMatchObject({ error: { code: 'JOURNAL_DAMAGED' } });
});
