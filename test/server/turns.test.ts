import fs from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/server/turns.ts';
import { proofSize } from '../support/proof-size.ts';
import { makeRun, rawDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { sharedServe } from './support/serve.ts';

const served = sharedServe({ director: memoryDirector() });
const REQUESTS = proofSize({ small: 6, full: 60 });
const EVENTS = proofSize({ small: 500, full: 20_000 });

/** The maximum number of files below a folder that are open at once until the answers arrive. */
async function openFilesWhile(folder: string, answers: Promise<unknown>): Promise<number> {
  let ended = false;
  void answers.finally(() => {
    ended = true;
  });
  let most = 0;
  while (!ended) {
    most = Math.max(most, openFiles(folder));
    await setImmediate();
  }
  return most;
}

function openFiles(folder: string): number {
  const targets = fs.readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
  return targets.filter((target) => target.startsWith(folder)).length;
}

function linkOf(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    return ''; // Closed meanwhile.
  }
}

test('many requests that read whole records open few files at once, and do not block health', async () => {
  const { folder, append } = await makeRun(served.home, 'succeeded');
  await append(Array.from({ length: EVENTS }, (_, at) => rawDraft(`line ${at} ${'x'.repeat(200)}`)));
  fs.writeFileSync(path.join(folder.audit, 'stdout.1.log'), 'x'.repeat(4 * 1024 * 1024));
  const before = openFiles(folder.path);
  const run = `/v1/runs/${folder.runId}`;
  const kinds = [
    { address: `${run}/verify`, method: 'POST' },
    { address: `${run}/raw/stdout.1/search?q=absent`, method: 'GET' },
    { address: `${run}/raw/stdout.1/lines?around=4000000`, method: 'GET' },
  ];
  for (const { address, method } of kinds) {
    let answered = 0;
    const asked = Array.from({ length: REQUESTS }, async () => {
      const { status } = await served.ask(address, { method });
      answered++;
      return status;
    });
    const health = served.ask('/v1/health').then(({ status }) => ({ status, answered }));
    const most = await openFilesWhile(folder.path, Promise.all([...asked, health]));
    expect(await Promise.all(asked), address).toEqual(Array(REQUESTS).fill(200));
    expect((await health).status).toBe(200);
    expect((await health).answered, address).toBeLessThan(REQUESTS);
    // Each may have two files of a record open, the log and the file compared with it, and the next folder.
    expect(most - before, address).toBeGreaterThan(0);
    expect(most - before, address).toBeLessThanOrEqual(6);
  }
});

/** The response that a route gets. */
function answer(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

/** Work that ends when the test says so. */
function work() {
  let end = () => {};
  let begun = false;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const start = () => {
    begun = true;
    return done;
  };
  return { start, end: () => end(), hasBegun: () => begun };
}

test('turns are given in order, and a finished one is passed on', async () => {
  const turns = new Turns({ maxAtOnce: 2 });
  const works = Array.from({ length: 4 }, work);
  const taken = works.map(({ start }) => turns.take(answer(), start));
  const begun = () => works.map(({ hasBegun }) => hasBegun());
  expect(begun()).toEqual([true, true, false, false]);
  works[1]!.end();
  await taken[1];
  await expect.poll(begun).toEqual([true, true, true, false]);
  for (const { end } of works) end();
  await Promise.all(taken);
});

test('a failure passes the turn on', async () => {
  const turns = new Turns({ maxAtOnce: 1 });
  const failing = turns.take(answer(), () => Promise.reject(new Error('unreadable')));
  const next = turns.take(answer(), async () => 'next');
  await expect(failing).rejects.toThrow('unreadable');
  expect(await next).toBe('next');
});

test('a client that disconnects while it waits loses its turn', async () => {
  const turns = new Turns({ maxAtOnce: 1 });
  const first = work();
  const running = turns.take(answer(), first.start);
  const gone = answer();
  const dropped = work();
  const waiting = turns.take(gone, dropped.start);
  const last = turns.take(answer(), async () => 'last');
  gone.emit('close');
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  first.end();
  await running;
  expect(await last).toBe('last');
  expect(dropped.hasBegun()).toBe(false);
});

test('refuses a request when too many wait', async () => {
  const turns = new Turns({ maxAtOnce: 1, maxWaiting: 1 });
  const first = work();
  const taken = [turns.take(answer(), first.start), turns.take(answer(), async () => {})];
  await expect(turns.take(answer(), async () => {})).rejects.toMatchObject({ code: 'RESOURCE_PRESSURE' });
  first.end();
  await Promise.all(taken);
});
