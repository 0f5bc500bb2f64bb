import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunRecord } from '../../src/protocol/index.ts';
import { openRunIndex, type RunIndex } from '../../src/runs/run-index/run-index.ts';
import { RecordedRuns } from '../storage/recorded-runs.ts';
import { temporaryFolder } from '../support/tacho.ts';

interface Indexed {
  runs: RecordedRuns;
  index: RunIndex;
  /** Records a run and puts it into the index. */
  add(given?: Partial<RunRecord>, said?: string[]): RunRecord;
  change(record: RunRecord, change: Partial<RunRecord>): RunRecord;
}

async function indexed(): Promise<Indexed> {
  const home = temporaryFolder();
  const runs = new RecordedRuns(home);
  const index = await openRunIndex({ file: path.join(home, 'index.db'), runsRoot: runs.root });
  onTestFinished(() => index.close());
  const put = (record: RunRecord) => {
    index.put(record);
    return record;
  };
  return {
    runs,
    index,
    add: (given, said) => put(runs.add(given, said)),
    change: (record, change) => put(runs.write({ ...record, ...change })),
  };
}

const handles = (records: readonly RunRecord[]) => records.map(({ handle }) => handle);

describe('a list of runs', () => {
  test('has the newest run first, each with its whole record', async () => {
    const { index, add } = await indexed();
    const records = [add({ engine: 'text', command: ['make'] }), add({ usage: { total_tokens: 7 } }), add()];
    expect(index.list({ limit: 10 })).toEqual({ records: records.reverse(), next_cursor: null, total: 3 });
  });

  test('is empty where there are no runs', async () => {
    const { index } = await indexed();
    const nothing = { records: [], next_cursor: null, total: 0 };
    expect(index.list({ limit: 10 })).toEqual(nothing);
    expect(index.list({ limit: 10, q: 'anything', status: 'failed' })).toEqual(nothing);
    expect([index.get('00000000'), index.next(), index.size(), index.countByStatus()]).toEqual([null, null, 0, {}]);
  });

  test('can be of one status, of one engine, and of both', async () => {
    const { index, add } = await indexed();
    for (const status of ['succeeded', 'failed', 'running', 'failed'] as const) {
      for (const engine of ['codex', 'claude']) add({ status, engine });
    }
    const total = (query: object) => {
      const list = index.list({ limit: 100, ...query });
      expect(list.records).toHaveLength(list.total);
      expect(list.records).toEqual(list.records.map((record) => expect.objectContaining({ ...record, ...query })));
      return list.total;
    };
    expect(total({})).toBe(8);
    expect(total({ status: 'failed' })).toBe(4);
    expect(total({ engine: 'claude' })).toBe(4);
    expect(total({ status: 'failed', engine: 'claude' })).toBe(2);
    expect(total({ status: 'canceled' })).toBe(0);
    expect(total({ engine: 'nobody' })).toBe(0);
    expect(index.countByStatus()).toEqual({ succeeded: 2, failed: 4, running: 2 });
  });

  test('counts a run under its new status once it has changed', async () => {
    const { index, add, change } = await indexed();
    const record = add({ status: 'running' });
    change(record, { status: 'failed' });
    expect(index.countByStatus()).toEqual({ failed: 1 });
    expect(index.list({ limit: 1, status: 'running' }).total).toBe(0);
    expect(index.list({ limit: 1, status: 'failed' }).records[0]?.run_id).toBe(record.run_id);
  });

  test('goes on page by page, whatever is added and removed meanwhile', async () => {
    const { index, runs, add } = await indexed();
    const all = Array.from({ length: 25 }, () => add({}, ['word'])).reverse();
    for (const q of [undefined, 'word']) {
      const seen: RunRecord[] = [];
      let cursor: string | undefined;
      for (;;) {
        const page = index.list({ limit: 7, cursor, q });
        seen.push(...page.records);
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
        add({ engine: 'claude' }, ['word']);
        // The very run the page ended with may be gone when the next one is asked for.
        const gone = add({ engine: 'gemini' }, ['word']);
        runs.remove(gone.run_id);
        index.remove(gone.run_id);
      }
      expect(handles(seen.filter(({ engine }) => engine === 'codex'))).toEqual(handles(all));
      expect(new Set(handles(seen)).size).toBe(seen.length);
    }
  });

  test('goes on after a run that was removed', async () => {
    const { index, add } = await indexed();
    const [oldest, middle, newest] = [add(), add(), add()];
    const { records, next_cursor } = index.list({ limit: 2 });
    expect(handles(records)).toEqual([newest!.handle, middle!.handle]);
    index.remove(middle!.run_id);
    expect(handles(index.list({ limit: 2, cursor: next_cursor! }).records)).toEqual([oldest!.handle]);
  });

  test('keeps runs of one millisecond apart, also when their handles end alike', async () => {
    const { index, add } = await indexed();
    const created_at = '2026-11-15T08:00:00.123Z';
    const same = ['07b00abc', '07b11abc', '07b22abc'].map((handle) => add({ handle, created_at }));
    const seen = [undefined, 'next', 'next'].reduce<{ records: RunRecord[]; cursor: string | undefined }>(
      ({ records, cursor }) => {
        const page = index.list({ limit: 1, cursor });
        return { records: [...records, ...page.records], cursor: page.next_cursor ?? undefined };
      },
      { records: [], cursor: undefined },
    );
    expect(handles(seen.records).sort()).toEqual(handles(same));
    const more = Array.from({ length: 300 }, (_, number) =>
      add({ handle: `0${(number + 4096).toString(16)}abc`, created_at }),
    );
    expect(new Set(handles(index.list({ limit: 500 }).records)).size).toBe(same.length + more.length);
  });

  test.each(['1999-01-01T00:00:00.000Z', '2200-01-01T00:00:00.000Z'])('takes a run of %s', async (created_at) => {
    const { index, add } = await indexed();
    add();
    const record = add({ created_at }, ['word']);
    expect(handles(index.list({ limit: 10, q: 'word' }).records)).toEqual([record.handle]);
    expect(index.list({ limit: 10 }).total).toBe(2);
  });

  test.each(['', 'Ä', '-1', '1_5', 'zzzzzzzzzzz', '0 OR 1'])('refuses "%s" as a cursor', async (cursor) => {
    const { index } = await indexed();
    expect(() => index.list({ limit: 1, cursor })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });
});

describe('one run', () => {
  test('is found by its id, its handle, and the beginning of either', async () => {
    const { index, add } = await indexed();
    add({ handle: '11aa0000' });
    const record = add({ handle: '22bb0000' });
    for (const selector of [record.run_id, '22bb0000', '22bb', record.run_id.slice(0, 15)]) {
      expect(index.get(selector)).toEqual(record);
    }
    for (const selector of ['2', '33', 'bb', '%', '22bb00001', '']) expect(index.get(selector)).toBeNull();
  });

  test('is not chosen from several that may be meant', async () => {
    const { index, add } = await indexed();
    const [one, other] = [add({ handle: 'abcd0001' }), add({ handle: 'abcd0002' })];
    expect(() => index.get('abcd')).toThrow(
      expect.objectContaining({
        code: 'RUN_AMBIGUOUS',
        facts: { selector: 'abcd', candidates: [other!.run_id, one!.run_id] },
      }),
    );
    expect(index.get('abcd0001')?.run_id).toBe(one!.run_id);
    for (let number = 3; number < 60; number++) add({ handle: `abcd00${number + 10}` });
    expect(() => index.get('abcd')).toThrow('matches more than 20 runs');
  });

  test('whose handle is the beginning of another’s id is still found exactly', async () => {
    const { index, add } = await indexed();
    const exact = add({ handle: '20261115' });
    add();
    expect(index.get('20261115')).toEqual(exact);
  });

  test('is gone when it is removed, from everything', async () => {
    const { index, runs, add } = await indexed();
    const at = '2026-11-15T08:00:00.000Z';
    const record = add({ status: 'queued', queue: { priority: 0, at } }, ['word']);
    index.setTimer(record.run_id, 'some', 1, null);
    expect(index.list({ limit: 1, q: 'word' }).total).toBe(1);
    runs.remove(record.run_id);
    index.remove(record.run_id);
    index.remove(record.run_id);
    await index.settled();
    expect(index.get(record.handle)).toBeNull();
    expect([index.list({ limit: 1 }).total, index.list({ limit: 1, q: 'word' }).total]).toEqual([0, 0]);
    expect([index.size(), index.dueTimers(10), index.countByStatus()]).toEqual([0, [], {}]);
  });

  test('that is removed from the index before its folder does not come back', async () => {
    const { index, add } = await indexed();
    const record = add();
    await index.settled();
    index.remove(record.run_id);
    await index.settled();
    expect(index.get(record.run_id)).toBeNull();
  });
});

describe('the queue', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 8, 0, second)).toISOString();

  test('has the highest priority first, then who came first', async () => {
    const { index, add } = await indexed();
    const places = [
      [0, 1],
      [5, 3],
      [0, 0],
      [5, 2],
      [-3, 0],
    ] as const;
    const ids = places.map(
      ([priority, second]) => add({ status: 'queued', queue: { priority, at: at(second) } }).run_id,
    );
    const order = [ids[3]!, ids[1]!, ids[2]!, ids[0]!, ids[4]!];
    expect([...index.positions()]).toEqual(order.map((runId, place) => [runId, place + 1]));
    const taken: string[] = [];
    for (let next = index.next(); next !== null; next = index.next()) {
      expect(index.size()).toBe(order.length - taken.length);
      expect(index.take(next)).toBe(true);
      expect(index.take(next)).toBe(false);
      taken.push(next);
    }
    expect(taken).toEqual(order);
  });

  test('is left by a run that starts or is canceled, and joined again by one that is queued anew', async () => {
    const { index, add, change } = await indexed();
    const record = add({ status: 'queued', queue: { priority: 1, at: at(0) } });
    change(record, { status: 'running' });
    expect([index.size(), index.take(record.run_id)]).toEqual([0, false]);
    change(record, { status: 'queued', queue: { priority: 1, at: at(5) } });
    expect(index.next()).toBe(record.run_id);
    change(record, { status: 'canceled' });
    expect(index.next()).toBeNull();
  });

  test('does not give a run twice because its record was put again before it started', async () => {
    const { index, add, change } = await indexed();
    const record = add({ status: 'queued', queue: { priority: 1, at: at(0) } });
    expect(index.take(record.run_id)).toBe(true);
    change(record, { cwd: '/elsewhere' });
    await index.settled();
    await index.refresh();
    expect(index.next()).toBeNull();
  });

  test('has a run again that was taken by a process that died', async () => {
    const home = temporaryFolder();
    const runs = new RecordedRuns(home);
    const options = { file: path.join(home, 'index.db'), runsRoot: runs.root };
    const record = runs.add({ status: 'queued', queue: { priority: 1, at: at(0) } });
    const before = await openRunIndex(options);
    expect(before.take(record.run_id)).toBe(true);
    await before.close();
    const after = await openRunIndex(options);
    expect(after.next()).toBe(record.run_id);
    await after.close();
  });
});

describe('timers', () => {
  test('are due in the order of their times, outlive a restart, and are one of a kind', async () => {
    const home = temporaryFolder();
    const runs = new RecordedRuns(home);
    const options = { file: path.join(home, 'index.db'), runsRoot: runs.root };
    const [one, other] = [runs.add().run_id, runs.add().run_id];
    const before = await openRunIndex(options);
    before.setTimer(one, 'retry', 2000, { after: 'a while' });
    before.setTimer(other, 'retry', 9000, null);
    before.setTimer(other, 'retry', 1000, [1]);
    before.setTimer(other, 'expire', 3000, 'x');
    await before.close();
    const after = await openRunIndex(options);
    expect(after.nextDue()).toBe(1000);
    expect(after.dueTimers(2999)).toEqual([
      { runId: other, kind: 'retry', dueAt: 1000, payload: [1] },
      { runId: one, kind: 'retry', dueAt: 2000, payload: { after: 'a while' } },
    ]);
    after.clearTimer(other, 'retry');
    after.clearTimer(one, 'retry');
    expect([after.nextDue(), after.dueTimers(2999)]).toEqual([3000, []]);
    await after.close();
  });

  test('that answer for those who do not follow from the record', async () => {
    const { index, add, change } = await indexed();
    const ended_at = '2026-11-15T08:00:00.000Z';
    const last = { attempt: 1, exit_code: 0, signal: null, state: 'awaiting_user_input', reason_code: 'x', ended_at };
    const question = { interaction_id: '1.1', prompt: 'Which colour?' };
    const waiting = { status: 'waiting_user', question, last, auto_reply: { after_ms: 5000, text: 'blue' } } as const;
    const record = add(waiting);
    const timer = {
      runId: record.run_id,
      kind: 'auto_reply',
      dueAt: Date.parse(ended_at) + 5000,
      payload: { interaction_id: '1.1', text: 'blue' },
    };
    expect(index.dueTimers(timer.dueAt - 1)).toEqual([]);
    expect(index.dueTimers(timer.dueAt)).toEqual([timer]);
    change(record, { status: 'queued', question: null });
    expect(index.nextDue()).toBeNull();
  });
});
