import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookProblem, Wal, WalHook } from '../../../src/agent/wal/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { collect, emptyWorkspace, message, messages, newWal } from './workspace.ts';

const seqs = (events: readonly AgentEvent[]) => events.map(({ seq }) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('hooks', () => {
  test('are called after the events are in the log and before subscribers get them', async () => {
    const order: string[] = [];
    const hook: WalHook = {
      name: 'order',
      onEvents(events, locator) {
        const lines = readFileSync(locator, 'utf8').split('\n').length - 1;
        order.push(`hook ${seqs(events)} of ${lines}`);
      },
    };
    const wal = await newWal(emptyWorkspace(), { hooks: [hook] });
    const reading = (async () => {
      for await (const { seq } of wal.subscribe()) order.push(`subscriber ${seq}`);
    })();
    await wal.append([message('a'), message('b')]);
    await wal.append(message('c'), { durable: true });
    await wal.close();
    await reading;
    expect(order.filter((entry) => entry.startsWith('hook'))).toEqual(['hook 1,2 of 2', 'hook 3 of 3']);
    expect(order.indexOf('hook 1,2 of 2')).toBeLessThan(order.indexOf('subscriber 1'));
    expect(order.indexOf('hook 3 of 3')).toBeLessThan(order.indexOf('subscriber 3'));
  });

  test('that throw or reject are reported once, and the others are called', async () => {
    const problems: HookProblem[] = [];
    const seen: number[] = [];
    let calls = 0;
    const hooks: WalHook[] = [
      {
        name: 'throws',
        onEvents() {
          calls++;
          throw new Error('broken');
        },
      },
      { name: 'rejects', onEvents: () => Promise.reject(new Error('broken too')) },
      { name: 'works', onEvents: (events) => void seen.push(...seqs(events)) },
    ];
    const onHookProblem = (problem: HookProblem) => {
      problems.push(problem);
      throw new Error('the report fails too');
    };
    const wal = await newWal(emptyWorkspace(), { hooks, onHookProblem });
    for (const draft of messages(5)) await wal.append(draft);
    await wal.close();
    expect(problems.map(({ hook, problem }) => [hook, problem])).toEqual([
      ['throws', 'threw'],
      ['rejects', 'threw'],
    ]);
    expect(calls).toBe(5);
    expect(seen).toEqual(upTo(5));
  });

  test('that hang delay neither appends nor, for longer than their time, the end', async () => {
    const problems: HookProblem[] = [];
    let calls = 0;
    const hang: WalHook = {
      name: 'hangs',
      onEvents() {
        calls++;
        return new Promise(() => {});
      },
    };
    const wal = await newWal(emptyWorkspace(), {
      hooks: [hang],
      hookTimeoutMs: 20,
      onHookProblem: (problem) => problems.push(problem),
    });
    for (const draft of messages(10)) await wal.append(draft);
    await expect.poll(() => problems.length).toBe(1);
    const callsBefore = calls;
    await wal.append(messages(5), { durable: true });
    await wal.close();
    expect(calls).toBe(callsBefore);
    expect(problems).toMatchObject([{ hook: 'hangs', problem: 'timed_out' }]);
  });

  test('under way when the log is closed can finish', async () => {
    let finish = () => {};
    let isFinished = false;
    const slow: WalHook = {
      name: 'slow',
      onEvents: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }).then(() => {
          isFinished = true;
        }),
    };
    const wal = await newWal(emptyWorkspace(), { hooks: [slow] });
    await wal.append(message('a'));
    const closing = wal.close();
    finish();
    await closing;
    expect(isFinished).toBe(true);
  });
});

describe('subscribers', () => {
  /** Takes the first, lets the writer go on, and takes the rest. */
  async function readLate(wal: Wal, options: { bufferEvents: number }, write: () => Promise<void>): Promise<number[]> {
    const seen: number[] = [];
    for await (const { seq } of wal.subscribe(options)) {
      seen.push(seq);
      if (seen.length === 1) await write();
    }
    return seen;
  }

  test('that fall behind continue from the file, without loss', async () => {
    const wal = await newWal(emptyWorkspace());
    await wal.append(message('first'));
    const seen = await readLate(wal, { bufferEvents: 8 }, async () => {
      for (let batch = 0; batch < 300; batch++) await wal.append(messages(3), { durable: batch % 100 === 0 });
      void wal.close();
    });
    expect(seen).toEqual(upTo(901));
  });

  test('that fall behind again and again get every event once', async () => {
    const wal = await newWal(emptyWorkspace());
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of wal.subscribe({ bufferEvents: 4 })) {
        seen.push(seq);
        if (seq % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let batch = 0; batch < 400; batch++) {
      await wal.append(messages(1 + (batch % 5)));
      if (batch % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await wal.close();
    await reading;
    expect(seen).toEqual(upTo(1200));
  });

  test('get a durable event, and what follows it, once it is on the disk', async () => {
    const wal = await newWal(emptyWorkspace());
    const appends = [wal.append(message('a'), { durable: true }), wal.append(message('b'))];
    // The signed position is written after the events are on the disk.
    const positions: [number, number][] = [];
    for await (const { seq } of wal.subscribe()) {
      positions.push([seq, Number(readFileSync(join(wal.folder, 'head'), 'latin1').slice(0, 16))]);
      if (seq === 2) break;
    }
    expect(positions.map(([seq]) => seq)).toEqual([1, 2]);
    for (const [, position] of positions) expect(position).toBeGreaterThanOrEqual(1);
    await Promise.all(appends);
  });

  test('can begin anywhere, stop, be stopped, and come too late', async () => {
    const wal = await newWal(emptyWorkspace());
    await wal.append(messages(5));
    for await (const { seq } of wal.subscribe({ afterSeq: 3 })) {
      expect(seq).toBe(4);
      break;
    }
    const abort = new AbortController();
    const stopped = collect(wal.subscribe({ afterSeq: 5, signal: abort.signal }));
    abort.abort();
    expect(await stopped).toEqual([]);
    const future = collect(wal.subscribe({ afterSeq: 6 }));
    await wal.append(messages(3));
    await wal.close();
    expect(seqs(await future)).toEqual([7, 8]);
    expect(seqs(await collect(wal.subscribe()))).toEqual(upTo(8));
  });
});
