import { expect, test } from 'vitest';
import type { RunView } from '../../src/protocol/index.ts';
import { mayMatch, parseRunFilter } from '../../studio/model/runs/run-filter.ts';
import {
  EMPTY_LIST,
  listOf,
  type RunList,
  refreshed,
  withFreshShown,
  withoutRun,
  withPage,
  withRun,
} from '../../studio/model/runs/run-list.ts';

/** A run started in minute `at`; later changes have a later `changed`. */
function run(id: string, at: number, more: Partial<RunView> = {}, changed = at): RunView {
  const time = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
  return {
    run_id: id,
    handle: id,
    engine: 'demo',
    status: 'running',
    mode: 'auto',
    attempt: 1,
    prompt: 'hello',
    command: ['demo'],
    cwd: '/',
    session_id: null,
    created_at: time(at),
    updated_at: time(changed),
    priority: 0,
    queue_position: null,
    question: null,
    last: null,
    usage: null,
    head_seq: 1,
    ...more,
  };
}

const ids = ({ rows, fresh }: RunList) => ({
  rows: rows.map((row) => row.run_id),
  fresh: fresh.map((row) => row.run_id),
});
const belongs = { belongs: true };
const list = listOf({ runs: [run('c', 3), run('b', 2)], next_cursor: 'next', total: 3 });

test('a live row changes in place', () => {
  const changed = withRun(list, run('b', 2, { status: 'failed' }, 9), { belongs: false });
  expect(ids(changed)).toEqual({ rows: ['c', 'b'], fresh: [] });
  expect(changed.rows[1]!.status).toBe('failed');
});

test('an older state changes nothing', () => {
  const newer = withRun(list, run('b', 2, { status: 'failed' }, 9), belongs);
  expect(withRun(newer, run('b', 2, { status: 'running' }, 5), belongs).rows[1]!.status).toBe('failed');
});

test('new runs wait until they are requested', () => {
  const grown = withRun(withRun(list, run('d', 4), belongs), run('e', 5), belongs);
  expect(ids(grown)).toEqual({ rows: ['c', 'b'], fresh: ['e', 'd'] });
  expect(grown.total).toBe(5);
  expect(ids(withFreshShown(grown))).toEqual({ rows: ['e', 'd', 'c', 'b'], fresh: [] });
});

test('the first run of an empty list is shown at once', () => {
  expect(ids(withRun(EMPTY_LIST, run('a', 1), belongs))).toEqual({ rows: ['a'], fresh: [] });
});

test('a run of a page that is not loaded is not new', () => {
  expect(withRun(list, run('a', 1, {}, 9), belongs)).toBe(list);
});

test('a run excluded by the filter is not new', () => {
  expect(withRun(list, run('d', 4), { belongs: false })).toBe(list);
});

test('the next page adds only missing runs', () => {
  const both = withPage(list, { runs: [run('b', 2), run('a', 1)], next_cursor: null, total: 3 });
  expect(ids(both).rows).toEqual(['c', 'b', 'a']);
  expect(both.cursor).toBeNull();
});

test('a removed run is gone', () => {
  const fewer = withoutRun(list, 'c');
  expect(ids(fewer).rows).toEqual(['b']);
  expect(fewer.total).toBe(2);
});

test('after a lost connection rows are up to date and new runs wait', () => {
  const page = {
    runs: [run('d', 4), run('c', 3, { status: 'succeeded' }, 8), run('b', 2)],
    next_cursor: 'n',
    total: 4,
  };
  const now = refreshed(list, page);
  expect(ids(now)).toEqual({ rows: ['c', 'b'], fresh: ['d'] });
  expect(now.rows[0]!.status).toBe('succeeded');
  expect(now.total).toBe(4);
});

test('a filter box is parsed into filters and words', () => {
  expect(parseRunFilter('status:failed  fix engine:codex the test has:approval')).toEqual({
    status: 'failed',
    engine: 'codex',
    hasApproval: true,
    words: 'fix the test',
    unknown: null,
  });
  expect(parseRunFilter('status:broken').unknown).toBe('status:broken');
  expect(parseRunFilter('has:legs').unknown).toBe('has:legs');
  expect(parseRunFilter('status:').unknown).toBeNull();
  expect(parseRunFilter('http://example.test').words).toBe('http://example.test');
});

test('finds which new runs belong to a filtered list', () => {
  const failed = run('x', 1, { status: 'failed' });
  const none = new Map<string, number>();
  expect(mayMatch(parseRunFilter('status:failed'), failed, none)).toBe(true);
  expect(mayMatch(parseRunFilter('status:succeeded'), failed, none)).toBe(false);
  expect(mayMatch(parseRunFilter('engine:codex'), failed, none)).toBe(false);
  expect(mayMatch(parseRunFilter('some words'), failed, none)).toBe(false);
  expect(mayMatch(parseRunFilter('has:approval'), failed, none)).toBe(false);
  expect(mayMatch(parseRunFilter('has:approval'), failed, new Map([['x', 1]]))).toBe(true);
});
