import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EVENTS_FILE } from '../../src/protocol/index.ts';
import { locateRun } from '../../src/server/locate-run.ts';
import { builtProgram } from '../support/program.ts';
import { proofSize } from '../support/proof-size.ts';
import { finished, projectRoot, temporaryFolder } from '../support/tacho.ts';
import { memoryDirector } from './support/memory-director.ts';
import { dataOf, openStream, seqsOf } from './support/read-stream.ts';
import { type Served, serve } from './support/serve.ts';

/** Another process that appends to a run of this data folder, on `begin`. */
async function appending(home: string, batches: number, perBatch: number, pauseMs: number) {
  const program = path.join(projectRoot, 'test/server/programs/append-events.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    [builtProgram(program), home, String(batches), String(perBatch), String(pauseMs)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const runId = await new Promise<string>((resolve) => {
    child.stdout!.once('data', (bytes: Buffer) => resolve(bytes.toString().trim()));
  });
  return { runId, ended: finished(child), begin: () => child.stdin!.write('go\n'), events: batches * perBatch + 2 };
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

async function figure(served: Served, name: string): Promise<number> {
  const { text } = await served.ask('/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('readers that stop reading neither slow down a fast one nor lose events', async () => {
  const home = temporaryFolder();
  const served = await serve({ director: memoryDirector(), home });
  const { runId, ended, begin, events } = await appending(home, 60, 170, 5);
  const address = `/v1/runs/${runId}/events/stream`;
  const readers = proofSize({ small: 6, full: 20 });
  const slow = await Promise.all(upTo(readers).map(() => openStream(served, address, { paused: true })));
  const fast = await openStream(served, address);
  await fast.frame(({ id }) => id === '1');
  begin();
  await fast.ended;
  expect(seqsOf(fast.frames)).toEqual(upTo(events));
  expect(dataOf(fast.frames.at(-1))).toEqual({ reason: 'terminal', last_seq: events });
  expect((await ended).code).toBe(0);

  // The server buffers no more than their sockets: most events are still to be sent.
  const kind = '\\{kind="run_event"\\}';
  expect(await figure(served, `tacho_sse_readers${kind}`)).toBe(readers);
  expect(await figure(served, `tacho_sse_lag_events${kind}`)).toBeGreaterThan(events / 4);

  for (const { response } of slow) response.resume();
  await Promise.all(slow.map(({ ended: closed }) => closed));
  const log = fs.readFileSync(path.join(locateRun(path.join(home, 'runs'), runId).audit, EVENTS_FILE), 'utf8');
  for (const { frames } of [fast, ...slow]) {
    expect(seqsOf(frames)).toEqual(upTo(events));
    const kept = frames.filter(({ event }) => event === 'run_event').map(({ data }) => `${data}\n`);
    // Not with `toBe`: it would print a diff of megabytes.
    expect(kept.join('') === log).toBe(true);
  }
  expect(await figure(served, `tacho_events_delivered_total${kind}`)).toBe((readers + 1) * events);
});

test('readers that pause now and then get every event once, in order', async () => {
  const home = temporaryFolder();
  const served = await serve({ director: memoryDirector(), home });
  const { runId, begin, events } = await appending(home, 40, 100, 10);
  const streams = await Promise.all(
    upTo(8).map((reader) => openStream(served, `/v1/runs/${runId}/${reader % 2 ? 'events' : 'conversation'}/stream`)),
  );
  const turning = setInterval(() => {
    for (const { response } of streams) {
      if (Math.random() < 0.5) response.pause();
      else response.resume();
    }
  }, 7);
  begin();
  await Promise.all(streams.map(({ ended }) => ended));
  clearInterval(turning);
  for (const [index, { frames }] of streams.entries()) {
    const kind = index % 2 === 0 ? 'run_event' : 'chat_event';
    const seqs = seqsOf(frames, kind);
    expect(seqs).toEqual(upTo(seqs.length));
    expect(dataOf(frames.at(-1))).toEqual({ reason: 'terminal', last_seq: seqs.length });
    if (kind === 'run_event') expect(seqs).toHaveLength(events);
    else expect(seqs.length).toBeGreaterThanOrEqual(events);
  }
});
