import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { sandbox } from '../support/tacho.ts';
import { finalDraft, makeRun, rawDraft, statusDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { dataOf, readWhole } from './support/read-stream.ts';
import { serve } from './support/serve.ts';

const SECRET = 'correct-horse';
const OUTPUT = `${'before '.repeat(200)}${SECRET}${' after'.repeat(200)}\n`;
const MASKED = OUTPUT.replace(SECRET, '*'.repeat(SECRET.length));

/** Output of which the event shows the beginning. */
function cutDraft(from: number, masked?: number): RaspDraft {
  const raw_ref = { attempt_number: 1, stream: 'stdout', byte_from: from, byte_to: from + OUTPUT.length };
  const data = { text: OUTPUT.slice(0, 1024), lines: 1, truncated: true, ...(masked && { masked }) };
  return { ...rawDraft(''), data, raw_ref } as RaspDraft;
}

async function served() {
  const box = sandbox();
  const run = await makeRun(box.home, 'succeeded');
  const clean = OUTPUT.replace(SECRET, 'x'.repeat(SECRET.length));
  fs.writeFileSync(path.join(run.folder.audit, 'stdout.1.log'), clean + OUTPUT);
  const redaction = { stream: 'stdout', byte_from: OUTPUT.length + OUTPUT.indexOf(SECRET), name: 'MY_TOKEN' };
  const ranges = [{ ...redaction, byte_to: redaction.byte_from + SECRET.length }];
  const redactions = path.join(run.folder.audit, 'redactions.1.json');
  fs.writeFileSync(redactions, JSON.stringify({ format: 'tacho-redactions/1', ranges }));
  await run.append([
    statusDraft('running'),
    cutDraft(0),
    cutDraft(OUTPUT.length, SECRET.length),
    finalDraft('done'),
    statusDraft('succeeded'),
  ]);
  const server = await serve({ director: memoryDirector(), home: box.home });
  return { ...server, base: `/v1/runs/${run.folder.runId}`, clean, redactions };
}

type Shown = { type?: string; event?: { type: string }; data: { text?: string; truncated?: boolean } };
const raw = (events: Shown[]) =>
  events.filter(({ type, event }) => (event?.type ?? type) === 'raw.stdout').map(({ data }) => data);

test.each(['events', 'conversation'])(
  '%s have the beginning of long output, and all of it with full=1',
  async (kind) => {
    const server = await served();
    const { ask, base, clean } = server;
    const page = async (query = '') => raw((await ask(`${base}/${kind}${query}`)).json.events);
    const stream = async (query = '') => {
      const frames = await readWhole(server, `${base}/${kind}/stream${query}`);
      return raw(
        frames.filter(({ event }) => /^(run|chat)_event$/.test(event ?? '')).map((frame) => dataOf(frame) as Shown),
      );
    };
    const cut = { text: OUTPUT.slice(0, 1024), truncated: true };
    for (const read of [page, stream]) {
      expect(await read()).toMatchObject([cut, { ...cut, masked: SECRET.length }]);
      const full = await read('?full=1');
      expect(full.map(({ text }) => text)).toEqual([clean, MASKED]);
      expect(full.some(({ truncated }) => truncated)).toBe(false);
    }
    expect((await ask(`${base}/${kind}?full=2`)).status).toBe(400);
  },
);

test('no secret is shown when the redactions are gone', async () => {
  const { ask, base, clean, redactions } = await served();
  fs.rmSync(redactions);
  for (const kind of ['events', 'conversation']) {
    const { text, json } = await ask(`${base}/${kind}?full=1`);
    const cut = { text: OUTPUT.slice(0, 1024), truncated: true };
    expect(raw(json.events)).toMatchObject([{ text: clean }, { ...cut, unresolved: 'REDACTIONS_DIFFER' }]);
    expect(text.includes(SECRET)).toBe(false);
  }
});

test('whole texts are found by time, too', async () => {
  const { ask, base, clean } = await served();
  const { json } = await ask(`${base}/events?full=1&from_ts=2001-01-01T00:00:00Z`);
  expect(raw(json.events).map(({ text }) => text)).toEqual([clean, MASKED]);
});

test('search finds text that events do not have', async () => {
  const { ask, base } = await served();
  const { json } = await ask(`${base}/raw/stdout.1/search?q=after%20after%0A`);
  expect(json.matches).toHaveLength(2);
  const { json: page } = await ask(`${base}/events`);
  expect(JSON.stringify(page).includes('after after\\n')).toBe(false);
});
