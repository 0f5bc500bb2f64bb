import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { openRunIndex, type RunIndex } from '../../../src/runs/index/run-index.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { temporaryFolder } from '../../support/tacho.ts';

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
  test('has the newest run first, each with its complete record', async () => {
    const { index, add } = await indexed();
    const records = [add({ engine: 'text', command: ['make'] }), add({ usage: { total_tokens: 7 } }), add()];
    expect(index.list({ limit: 10 })).toEqual({ records: records.reverse(), next_cursor: null, total: 3 });
  });

  test('is empty if there are no runs', async () => {
    const { index } = await indexed();
    const nothing = { records: [], next_cursor: null, total: 0 };
    expect(index.list({ limit: 10 })).toEqual(nothing);
    expect(index.list({ limit: 10, q: 'anything', status: 'failed' })).toEqual(nothing);
    expect(index.countByStatus()).toEqual({});
  });

  test('can be filtered by status, by engine, and by both', async () => {
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

  test('counts a run under its new status after a change', async () => {
    const { index, add, change } = await indexed();
    const record = add({ status: 'running' });
    change(record, { status: 'failed' });
    expect(index.countByStatus()).toEqual({ failed: 1 });
    expect(index.list({ limit: 1, status: 'running' }).total).toBe(0);
    expect(index.list({ limit: 1, status: 'failed' }).records[0]?.run_id).toBe(record.run_id);
  });

  test('is complete page by page, although runs are added and removed meanwhile', async () => {
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
        // The last run of a page may be gone when the next page is requested.
        const gone = add({ engine: 'gemini' }, ['word']);
        runs.remove(gone.run_id);
        index.remove(gone.run_id);
      }
      expect(handles(seen.filter(({ engine }) => engine === 'codex'))).toEqual(handles(all));
      expect(new Set(handles(seen)).size).toBe(seen.length);
    }
  });

  test('continues after a cursor whose run was removed', async () => {
    const { index, add } = await indexed();
    const [oldest, middle, newest] = [add(), add(), add()];
    const { records, next_cursor } = index.list({ limit: 2 });
    expect(handles(records)).toEqual([newest!.handle, middle!.handle]);
    index.remove(middle!.run_id);
    expect(handles(index.list({ limit: 2, cursor: next_cursor! }).records)).toEqual([oldest!.handle]);
  });

  test('distinguishes runs of the same millisecond, also if their handles have the same suffix', async () => {
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

  test.each(['1999-01-01T00:00:00.000Z', '2200-01-01T00:00:00.000Z'])('accepts a run of %s', async (created_at) => {
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
  test('is gone from all lists and counts when it is removed', async () => {
    const { index, runs, add } = await indexed();
    const record = add({ status: 'queued' }, ['word']);
    expect(index.list({ limit: 1, q: 'word' }).total).toBe(1);
    runs.remove(record.run_id);
    index.remove(record.run_id);
    index.remove(record.run_id);
    await index.settled();
    expect([index.list({ limit: 1 }).total, index.list({ limit: 1, q: 'word' }).total]).toEqual([0, 0]);
    expect(index.countByStatus()).toEqual({});
  });

  test('that is removed from the index before its folder does not come back', async () => {
    const { index, add } = await indexed();
    const record = add();
    await index.settled();
    index.remove(record.run_id);
    await index.settled();
    expect(index.list({ limit: 1 }).total).toBe(0);
  });
});
