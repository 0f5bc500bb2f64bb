import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../../src/cli/chat/columns.ts';
import { type ListedRun, runsTable } from '../../../src/cli/records/runs-table.ts';
import { type RunRecord, TachoError } from '../../../src/protocol/index.ts';

const NOW = Date.parse('2026-11-15T09:00:00.000Z');

function run(changes: Partial<RunRecord> = {}): ListedRun {
  const record = {
    handle: '3f2a9c1b',
    engine: 'text',
    status: 'succeeded',
    attempt: 1,
    command: ['npm', 'test', '--', '--reporter=verbose', '--no-coverage', 'test/some/long/path.test.ts'],
    cwd: '/srv/project',
    created_at: '2026-11-15T08:30:12.000Z',
    times: { started_at: '2026-11-15T08:30:12.000Z', since: '2026-11-15T08:59:58.000Z', working_ms: 4200 },
    last: { exit_code: 0, signal: null },
    ...changes,
  };
  return { run_id: 'x', record: record as unknown as RunRecord };
}

const RUNS: ListedRun[] = [
  run(),
  run({ status: 'running', last: null }),
  run({ status: 'failed', recovered: [1], last: { exit_code: null, signal: 'SIGKILL' } as RunRecord['last'] }),
  run({ cwd: '/data/runs/x/work', command: ['echo', '日本語'.repeat(40)] }),
  run({ cwd: `/srv/${'deep/'.repeat(12)}end` }),
  { run_id: '20261115T083012-text-0e4fda30', error: new TachoError('RUN_RECORD_CORRUPT', 'not JSON\n\u001b[2J') },
];

const linesAt = (columns: number | null, runs = RUNS) =>
  runsTable(runs, { columns, runsFolder: '/data/runs', nowMs: NOW });

describe('runsTable', () => {
  test.each([1, 20, 50, 80, 120, 200])('fits %i columns', (columns) => {
    for (const line of linesAt(columns)) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  test.each<[number | null, string[]]>([
    [50, ['RUN', 'STATUS (EXIT)', 'COMMAND']],
    [80, ['RUN', 'STARTED', 'STATUS (EXIT)', 'DURATION', 'COMMAND']],
    [120, ['RUN', 'STARTED', 'ATTEMPT', 'STATUS (EXIT)', 'DURATION', 'FOLDER', 'COMMAND']],
    [null, ['RUN', 'STARTED', 'ATTEMPT', 'STATUS (EXIT)', 'DURATION', 'FOLDER', 'COMMAND']],
  ])('shows the columns that fit into %s characters', (columns, names) => {
    const runs = [run({ attempt: 2 }), run({ status: 'waiting_user' })];
    expect(linesAt(columns, runs)[0]!.split(/\s{2,}/)).toEqual(names);
  });

  test('shows the number of attempts only if a run has several', () => {
    expect(linesAt(null)[0]).not.toContain('ATTEMPT');
    expect(linesAt(null, [...RUNS, run({ attempt: 3 })])[0]).toContain('ATTEMPT');
  });

  test('shows the duration of a run, up to now while it is running', () => {
    const durations = linesAt(null)
      .slice(1)
      .map((line) => /[\d.]+ s/.exec(line)?.[0]);
    expect(durations).toEqual(['4.2 s', '6.2 s', '4.2 s', '4.2 s', '4.2 s', undefined]);
  });

  test('shows the folder, shortened to its end if it is long, and none for a scratch run', () => {
    const text = linesAt(null).join('\n');
    expect(text).toContain('  /srv/project  ');
    expect(text).toMatch(/ {2}…\S*deep\/end {2}/);
    expect(text).not.toContain('/data/runs');
  });

  test('lists an unreadable run, safe for the terminal', () => {
    expect(linesAt(120).at(-1)).toMatch(/^0e4fda30 {2}\? .*RUN_RECORD_CORRUPT .*not JSON␊␛\[2J$/);
  });
});
