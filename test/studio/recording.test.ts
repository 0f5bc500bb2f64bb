import { expect, test } from 'vitest';
import { firstSize, frameAt, positionAt, sizeAt, stepsBetween } from '../../studio/model/terminal/frames.ts';
import { inputAt, keyNames } from '../../studio/model/terminal/keystrokes.ts';
import { addChunks, emptyRecording } from '../../studio/model/terminal/recording.ts';

const START = Date.parse('2026-11-15T08:00:00.000Z');
const FIRST = new Date(START).toISOString();
const none = { byte_from: null, byte_to: null };

/** Two streams, typed input, and one resize; the header has 10 bytes. */
function sample() {
  const recording = emptyRecording(1);
  addChunks(recording, {
    first_ts: FIRST,
    bytes: { stdin: 3, stdout: 150, stderr: 20, pty: 180 },
    chunks: [
      { time_us: 0, stream: 'stdout', byte_from: 0, byte_to: 100 },
      { time_us: 500_000, stream: 'stdin', byte_from: 0, byte_to: 3 },
      { time_us: 1_000_000, stream: 'stderr', byte_from: 0, byte_to: 20 },
      { time_us: 1_500_000, stream: null, ...none, cols: 100, rows: 30 },
      { time_us: 2_000_000, stream: 'stdout', byte_from: 100, byte_to: 150 },
    ],
  });
  return recording;
}

test('reads of both streams are in the merged file one after the other', () => {
  const { header, split, ends, times, resizes, inputs, chunks } = sample();
  expect({ header, split, ends, chunks }).toEqual({ header: 10, split: true, ends: [110, 130, 180], chunks: 5 });
  expect(times).toEqual([START, START + 1000, START + 2000]);
  expect(resizes).toEqual([{ time: START + 1500, offset: 130, cols: 100, rows: 30 }]);
  expect(inputs).toEqual([{ time: START + 500, from: 0, to: 3 }]);
});

test('a recording continues where the last page ended', () => {
  const recording = sample();
  const next = { time_us: 3_000_000, stream: 'stderr' as const, byte_from: 20, byte_to: 25 };
  addChunks(recording, { first_ts: FIRST, bytes: { stdin: 3, stdout: 150, stderr: 25, pty: 185 }, chunks: [next] });
  expect(recording.ends.at(-1)).toBe(185);
  expect(recording.chunks).toBe(6);
});

test('a merged recording gets its header from the first read', () => {
  const recording = emptyRecording(1);
  const chunk = { time_us: 0, stream: 'pty' as const, byte_from: 42, byte_to: 50 };
  addChunks(recording, { first_ts: FIRST, bytes: { stdin: 0, pty: 50 }, chunks: [chunk] });
  expect(recording).toMatchObject({ header: 42, split: false, ends: [50] });
});

test('without a merged file there is nothing to play, but there are times', () => {
  const recording = emptyRecording(1);
  const chunk = { time_us: 0, stream: 'stdout' as const, byte_from: 0, byte_to: 5 };
  addChunks(recording, { first_ts: FIRST, bytes: { stdin: 0, stdout: 5, stderr: 0 }, chunks: [chunk] });
  expect(recording).toMatchObject({ header: null, times: [START] });
});

test('a time selects the frame that was on the screen', () => {
  const recording = sample();
  expect([START - 1, START, START + 999, START + 5000].map((time) => frameAt(recording, time))).toEqual([-1, 0, 0, 2]);
  expect(positionAt(recording, START - 1)).toEqual({ offset: 10, resizes: 0 });
  expect(positionAt(recording, START + 1600)).toEqual({ offset: 130, resizes: 1 });
});

test('the steps between two positions include the resize at its time', () => {
  const recording = sample();
  const way = stepsBetween(recording, { offset: 10, resizes: 0 }, { offset: 180, resizes: 1 }, 100);
  expect(way).toEqual([
    { write: { from: 10, to: 30 } },
    { write: { from: 30, to: 130 } },
    { resize: { cols: 100, rows: 30 } },
    { write: { from: 130, to: 180 } },
  ]);
  expect(stepsBetween(recording, { offset: 130, resizes: 1 }, { offset: 130, resizes: 1 }, 100)).toEqual([]);
});

test('the size is that of the last resize, initially that of the header', () => {
  const first = firstSize('Script started on x [COMMAND="COLUMNS="1" LINES="2"]" TERM="x" COLUMNS="120" LINES="40"]\n');
  expect(first).toEqual({ cols: 120, rows: 40 });
  expect(firstSize('something else')).toEqual({ cols: 80, rows: 24 });
  expect(sizeAt(sample(), { offset: 10, resizes: 0 }, first)).toBe(first);
  expect(sizeAt(sample(), { offset: 180, resizes: 1 }, first)).toMatchObject({ cols: 100, rows: 30 });
});

test('typed keys are shown for a while', () => {
  expect(inputAt(sample(), START + 400)).toBe('');
  expect(inputAt(sample(), START + 600)).toBe('0-3');
  expect(inputAt(sample(), START + 9000)).toBe('');
  expect(keyNames('a é\r\x03\x1b[A\x1b[15~\x7f')).toEqual(['a', '␣', 'é', '⏎', '^C', '↑', 'Esc [15~', '⌫']);
});
