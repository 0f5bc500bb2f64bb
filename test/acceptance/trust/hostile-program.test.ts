import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { type RunAnswer, sandbox } from '../../support/tacho.ts';
import { FEW_WAYS, programOf, WAYS } from './hostile-ways.ts';

interface Told extends RunAnswer {
  error: { code: string; message: string } | null;
}

interface Verdict {
  verdict: string;
  problems: { path: string; message: string }[];
}

const ways = proofSize({ small: FEW_WAYS, full: WAYS });

test('at least 40 different ways are tried', () => {
  expect(new Set(WAYS.map(({ name }) => name)).size).toBe(WAYS.length);
  expect(WAYS.length).toBeGreaterThanOrEqual(40);
});

for (const way of ways) {
  test(`${way.name}: the recorder ends, keeps the exit code and records what happened`, async () => {
    const box = sandbox();
    const elsewhere = path.join(box.home, 'elsewhere');
    fs.mkdirSync(elsewhere);
    const program = programOf(way, { home: box.home, elsewhere });
    const answer = await box.json<Told>(['run', '--timeout', '100', '--', ...program]);
    expect(answer).toMatchObject({ exit_code: 7, signal: null, status: 'failed' });
    expect(answer.finished.code).toBe(7);
    const verdict = await box.jsonHere<Verdict>(['verify', answer.run_id]);
    if (way.harmless) {
      expect(answer).toMatchObject({ error: null, completion: { reason_code: 'EXIT_NONZERO' } });
      expect(verdict).toMatchObject({ verdict: 'intact' });
    } else if (answer.error === null) {
      expect(verdict).toMatchObject({ verdict: way.passing ? 'intact' : 'changed' });
    } else {
      expect(answer.error.code).toBe('RECORD_TOUCHED');
      // Even where the recorder could not restore the files, the log says so.
      const codes = box.events(answer.run_id).map(({ data }) => (data as { code?: string }).code);
      expect(codes).toContain('RECORD_TOUCHED');
    }
    const output = fs.readFileSync(path.join(box.audit(answer.run_id), 'stdout.1.log'), 'utf8');
    if (way.name !== 'another output') expect(output.startsWith('before')).toBe(true);
  });
}
