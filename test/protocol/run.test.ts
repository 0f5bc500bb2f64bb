import { expect, test } from 'vitest';
import { RUN_ID_PATTERN, runRecordSchema } from '../../src/protocol/index.ts';
import { runRecord } from './samples.ts';

test('a valid run record is accepted, live or not', () => {
  expect(runRecordSchema.parse(runRecord)).toEqual(runRecord);
  const finished = {
    ...runRecord,
    status: 'failed',
    live: null,
    last: {
      attempt: 1,
      exit_code: null,
      signal: 'SIGKILL',
      state: 'interrupted',
      reason_code: 'SIGNALED',
      ended_at: runRecord.created_at,
    },
  };
  expect(runRecordSchema.parse(finished)).toEqual(finished);
});

test.each([
  ['of a later format', { format: 'tacho-run/2' }],
  ['without a command', { command: [] }],
  ['with an unknown status', { status: 'completed' }],
  ['with an invalid handle', { handle: 'last' }],
  ['with a run id that could leave its folder', { run_id: '../../etc' }],
  ['with an unknown field', { surprise: 1 }],
])('a run record %s is refused', (_, change) => {
  expect(runRecordSchema.safeParse({ ...runRecord, ...change }).success).toBe(false);
});

test.each(['20261115T083000-text-3f2a9c1b', '20261115T083000-our_agent2-00000000'])('%s is a run id', (id) => {
  expect(id).toMatch(RUN_ID_PATTERN);
});

test.each(['20261115T083000-text-3F2A9C1B', '20261115T083000--3f2a9c1b', '20261115-text-3f2a9c1b', 'last', ''])(
  '%j is not a run id',
  (id) => {
    expect(id).not.toMatch(RUN_ID_PATTERN);
  },
);
