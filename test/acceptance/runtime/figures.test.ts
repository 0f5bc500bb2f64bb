import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../support/tacho.ts';

/** Measured by `npm run bench`, which writes the page; here it is only read. */
const page = fs.readFileSync(path.join(projectRoot, 'docs/performance.md'), 'utf8');

describe('64 sessions at once, 10,000 execs: 0 lost bytes, 0 zombies, fds and RSS flat; `exec` first byte p50 ≤ 10 ms over the socket, ≥ 40 MB/s streamed, measured beside codex `exec-server` (npm) in the same run.', () => {
  test.each([
    { what: 'first byte of a program, p50', unit: 'ms', most: 10 },
    { what: 'first byte of a command in a shell session, p50', unit: 'ms', most: 10 },
    { what: '100 MB of text, streamed', unit: 'MB/s', least: 40 },
    { what: '100 MB of random bytes, streamed', unit: 'MB/s', least: 40 },
  ])('$what: the goal is met, and the peer was measured too', ({ what, unit, most, least }) => {
    const row = rowsOf(page).find((row) => row.what.startsWith(what) && row.peer.includes('codex exec-server'));
    expect(row).toMatchObject({ goal: least === undefined ? `≤ ${most} ms` : `≥ ${least} MB/s`, met: 'yes' });
    const ours = figure(row!.ours, unit);
    expect(ours).toBeLessThanOrEqual(most ?? Number.POSITIVE_INFINITY);
    expect(ours).toBeGreaterThanOrEqual(least ?? 0);
    expect(figure(row!.peer, unit)).toBeGreaterThan(0);
    expect(row!.peer).toMatch(/ \(codex exec-server \d+\.\d+\.\d+\)$/);
    expect(row!.ratio).toMatch(/^\d+\.\d+×$/);
  });
});

function rowsOf(page: string) {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  return lines.map((line) => {
    const [, what, ours, peer, ratio, goal, met] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return { what: what!, ours: ours!, peer: peer!, ratio: ratio!, goal, met };
  });
}

function figure(cell: string, unit: string): number {
  const [number, itsUnit] = cell.split(' ');
  expect({ number, itsUnit }).toEqual({ number: expect.stringMatching(/^\d+(\.\d+)?$/), itsUnit: unit });
  return Number(number);
}
