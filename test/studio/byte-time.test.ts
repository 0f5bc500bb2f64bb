import { expect, test } from 'vitest';
import { timeOfByte } from '../../studio/model/bytes/byte-time.ts';

const chunk = (ms: number, stream: 'stdout' | 'stderr' | 'stdin', byte_from: number, byte_to: number) => ({
  time_us: ms * 1000,
  stream,
  byte_from,
  byte_to,
});
const timing = {
  first_ts: new Date(1000).toISOString(),
  last_ts: null,
  bytes: { stdin: 2, stdout: 20, stderr: 5, pty: 125 },
  at: null,
  total: 4,
};
const first = [chunk(0, 'stdout', 0, 10), chunk(5, 'stdin', 0, 2)];
const second = [chunk(10, 'stderr', 0, 5), chunk(20, 'stdout', 10, 20)];
const chunks = async (cursor: number) =>
  cursor === 0 ? { ...timing, chunks: first, next_cursor: 2 } : { ...timing, chunks: second, next_cursor: null };

test('returns when a byte was read, in the merged log as well', async () => {
  const at = (stream: 'stdout' | 'stderr' | 'stdin' | 'pty', byte: number) =>
    timeOfByte({ stream, attempt: 1 }, byte, chunks);
  expect(await Promise.all([at('stdout', 9), at('stdout', 10), at('stderr', 4), at('stdin', 0)])).toEqual([
    1000, 1020, 1010, 1005,
  ]);
  // A header of a hundred bytes precedes the output.
  expect(await Promise.all([at('pty', 109), at('pty', 110), at('pty', 115), at('pty', 125)])).toEqual([
    1000,
    1010,
    1020,
    null,
  ]);
});
