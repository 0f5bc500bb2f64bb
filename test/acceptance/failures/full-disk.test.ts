import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { Daemon, driveCommand, expectAllVerified, makePlace, type Place } from './drive.ts';

const KIBIBYTE = 1024;
/**
 * Free space when the attempt starts. The disk is full before anything is written, at the lock, the record, the
 * journal, the reserve, the first snapshot, the output, or never.
 */
const ROOM = proofSize({
  small: [0, 16, 128, 280, 400],
  full: Array.from({ length: 120 }, (_, step) => step * 4),
});
const NO_FLOOR = { TACHO_LIMITS_DISK_FLOOR_BYTES: '0' };

describe('when the disk is full', () => {
  test('a command in a terminal leaves a record that is sealed or can be recovered', {
    timeout: 600_000,
  }, async () => {
    const place = makePlace({ home: smallDisk('8m'), env: NO_FLOOR });
    await driveCommand(place, ['true']);
    for (const room of ROOM) {
      const filler = fillUp(place, room * KIBIBYTE);
      const mark = `full-disk-${process.pid}-${room}`;
      const { errorCode, end } = await driveCommand(place, program(mark));
      expect(end.signal, `${room} KiB`).toBeNull();
      expect([null, 'DISK_FULL'], `${room} KiB: ${end.stdout}${end.stderr}`).toContain(errorCode);
      if (errorCode) expect(end.code, `${room} KiB`).not.toBe(0);
      fs.rmSync(filler);
      const all = await expectAllVerified(place, mark);
      const ended = all.slice(1).map(({ status, last }) => `${status} ${last?.reason_code}`);
      for (const how of ended)
        expect(['succeeded EXIT_ZERO', 'failed DISK_FULL', 'failed SUPERVISOR_LOST']).toContain(how);
      clear(place);
    }
  });

  test('a recorded session leaves a record that is sealed or can be recovered', { timeout: 600_000 }, async () => {
    const place = makePlace({ home: smallDisk('8m'), env: NO_FLOOR });
    const daemon = new Daemon(place);
    await daemon.warmUp();
    for (const room of ROOM) {
      const filler = fillUp(place, room * KIBIBYTE);
      const mark = `full-disk-${process.pid}-${room}`;
      const errorCode = await recordUntilGone(daemon, program(mark));
      expect([null, 'DISK_FULL'], `${room} KiB`).toContain(errorCode);
      await daemon.expectNothingOpen();
      fs.rmSync(filler);
      const all = await expectAllVerified(place, mark);
      const ended = all.slice(1).map(({ status, last }) => `${status} ${last?.reason_code}`);
      for (const how of ended) {
        expect(['succeeded EXIT_ZERO', 'failed DISK_FULL', 'failed SUPERVISOR_LOST'], `${room} KiB`).toContain(how);
      }
      clear(place);
    }
  });
});

/** Prints more than fits into little free space. */
function program(mark: string): string[] {
  return ['sh', '-c', `: ${mark}; head -c 100000 /dev/zero | tr "\\0" x; echo`];
}

/** The error code if the session could not be opened; otherwise null once it has ended. */
async function recordUntilGone(daemon: Daemon, argv: string[]): Promise<string | null> {
  try {
    const { session_id } = await daemon.client.call('session.create', { kind: 'exec', argv, record: true });
    await expect.poll(async () => (await daemon.client.call('session.info', { session_id })).closed).toBe(true);
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Fills the disk except for `roomBytes`; returns the path of the filler. */
function fillUp({ home }: Place, roomBytes: number): string {
  const filler = path.join(home, 'filler');
  const { bavail, bsize } = fs.statfsSync(home);
  const bytes = Math.max(0, bavail * bsize - roomBytes);
  const filled = spawnSync('fallocate', ['-l', String(bytes), filler], { encoding: 'utf8' });
  expect(filled.status, filled.stderr).toBe(0);
  return filler;
}

/** Removes all runs but the first. */
function clear({ home }: Place): void {
  const [, ...others] = fs.readdirSync(path.join(home, 'runs')).sort();
  for (const id of others) fs.rmSync(path.join(home, 'runs', id), { recursive: true });
}
