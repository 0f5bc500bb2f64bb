import { expect, test } from 'vitest';
import { foldEvents, type RunModel } from '../../src/record/index.ts';
import { activityAround, neighbourFrame } from '../../studio/model/activity.ts';
import { outputDensity } from '../../studio/model/terminal/output-density.ts';
import { addChunks, emptyRecording, type Recording } from '../../studio/model/terminal/recording.ts';
import {
  compressedAxis,
  honestAxis,
  idleGaps,
  idleShare,
  scaleOf,
  ticksOf,
} from '../../studio/model/timeline/time-axis.ts';
import {
  type Mark,
  markAt,
  marksOf,
  nearestMark,
  neighbourMark,
  placeMarks,
} from '../../studio/model/timeline/timeline-marks.ts';
import { growth, PROPORTIONAL } from '../support/growth.ts';
import { eventsOf } from './events.ts';

const mark = (row: Mark['row'], from: number, to = from): Mark => ({
  ...{ row, from, to, seq: 1, bad: false, open: false, title: '' },
});
const scale = (length: number, width: number) => scaleOf(honestAxis(length), { from: 0, to: length }, width);

test('messages, tools, decisions, files and diagnostics become marks, in chronological order', () => {
  const model = run();
  expect(marksOf(model).map(({ row, title, open, bad }) => [row, title, open, bad])).toEqual([
    ['messages', 'do it', false, false],
    ['tools', 'write_file', false, true],
    ['approvals', 'run rm', true, false],
    ['diagnostics', 'ENGINE_ERROR', false, true],
    ['files', 'a.txt', false, false],
    ['messages', 'it is done', false, false],
  ]);
});

test('a tool call is a span from its start to its end', () => {
  const model = run();
  const [call] = [...model.calls.values()];
  const start = model.start ?? 0;
  expect(marksOf(model).find(({ row }) => row === 'tools')).toMatchObject({
    from: (call?.from ?? 0) - start,
    to: (call?.to ?? 0) - start,
  });
});

test('marks of a row less than three pixels apart are merged, with their number', () => {
  const marks = [mark('messages', 0), mark('messages', 10), mark('messages', 20), mark('messages', 500)];
  const placed = placeMarks(marks, scale(1000, 100), 1000);
  expect(placed.map(({ x, count }) => [x, count])).toEqual([
    [0, 3],
    [50, 1],
  ]);
});

test('marks of other rows, and failed ones, stay separate', () => {
  const marks = [mark('messages', 0), mark('tools', 1, 2), { ...mark('messages', 1), bad: true }];
  expect(placeMarks(marks, scale(1000, 100), 1000)).toHaveLength(3);
});

test('long spans are never merged, and open ones extend to the end', () => {
  const marks = [mark('tools', 0, 300), mark('tools', 10, 400), { ...mark('approvals', 500), open: true }];
  expect(placeMarks(marks, scale(1000, 100), 1000)).toMatchObject([
    { x: 0, width: 30, count: 1 },
    { x: 1, width: 39, count: 1 },
    { x: 50, width: 50, open: true },
  ]);
});

test('marks outside of the visible range are left out, overlapping ones are clipped', () => {
  const marks = [mark('tools', 0, 100), mark('tools', 150, 600), mark('tools', 900, 950)];
  const seen = scaleOf(honestAxis(1000), { from: 200, to: 400 }, 100);
  expect(placeMarks(marks, seen, 1000)).toMatchObject([{ x: 0, width: 100 }]);
});

test('many marks are placed in linear time', () => {
  const place = (count: number) => {
    const marks = Array.from({ length: count }, (_, n) => mark('messages', n));
    const placed = placeMarks(marks, scale(count, 1400), count);
    expect(placed.length).toBeLessThan(1400 / 3 + 1);
    expect(placed.reduce((sum, { count }) => sum + count, 0)).toBe(count);
  };
  expect(growth(5000, place)).toBeLessThan(PROPORTIONAL);
});

test('finds the marks before, at, after and near a time', () => {
  const marks = [mark('messages', 100), mark('tools', 200, 400), mark('files', 300)];
  expect(neighbourMark(marks, 200, 'after')).toBe(marks[2]);
  expect(neighbourMark(marks, 200, 'before')).toBe(marks[0]);
  expect(neighbourMark(marks, 300, 'after')).toBeUndefined();
  expect(markAt(marks, 99)).toBeUndefined();
  expect(markAt(marks, 250)).toBe(marks[1]);
  expect(nearestMark(marks, 350, { within: 10, row: null })).toBe(marks[1]);
  expect(nearestMark(marks, 300, { within: 10, row: null })).toBe(marks[2]);
  expect(nearestMark(marks, 302, { within: 10, row: 'messages' })).toBeUndefined();
});

test('a compressed axis shortens silence, and positions map back to times', () => {
  const axis = compressedAxis(20_000, [{ from: 1000, to: 11_000 }]);
  expect(axis.length).toBe(10_500);
  expect([0, 1000, 6000, 11_000, 20_000].map(axis.toAxis)).toEqual([0, 1000, 1250, 1500, 10_500]);
  for (const time of [0, 999, 1000, 5000, 11_000, 19_999]) expect(axis.toTime(axis.toAxis(time))).toBeCloseTo(time);
});

test('silence is time without events and output, up to now', () => {
  const model = run();
  const length = (model.end ?? 0) - (model.start ?? 0);
  const gaps = idleGaps(model, [], length + 10_000);
  expect(gaps.at(-1)).toEqual({ from: length, to: length + 10_000 });
  expect(idleShare(20_000, [{ from: 1000, to: 11_000 }])).toBe(0.5);
});

test('ticks are round, far enough apart, and distinct', () => {
  const whole = ticksOf(honestAxis(100_000), { from: 0, to: 100_000 }, 1000);
  expect(whole.map(({ label }) => label).slice(0, 3)).toEqual(['0:00', '0:10', '0:20']);
  const near = ticksOf(honestAxis(100_000), { from: 1000, to: 1200 }, 1000);
  expect(near.map(({ label }) => label).slice(0, 3)).toEqual(['0:01.00', '0:01.02', '0:01.04']);
  expect(new Set(near.map(({ label }) => label)).size).toBe(near.length);
});

test('output density is highest where most output is', () => {
  const recording = recordingOf([0, 150, 150, 150, 900]);
  const bars = outputDensity([recording], START, scale(1000, 30));
  expect(bars[0]).toBe(0);
  expect(bars[1]).toBe(1);
  expect(bars.filter((bar) => bar > 0)).toHaveLength(2);
});

test('steps through frames one by one, over all attempts', () => {
  const model = { ...run(), start: START } as RunModel;
  const recordings = [recordingOf([0, 100]), recordingOf([500])];
  expect(neighbourFrame(model, recordings, 0, 'after')).toBe(100);
  expect(neighbourFrame(model, recordings, 100, 'after')).toBe(500);
  expect(neighbourFrame(model, recordings, 500, 'after')).toBeNull();
  expect(neighbourFrame(model, recordings, 500, 'before')).toBe(100);
  expect(activityAround({ ...model, events: [] }, recordings, 300)).toEqual({ last: 100, next: 500 });
});

const START = Date.parse('2026-11-15T08:00:00.000Z');

/** Ten bytes at each of these times. */
function recordingOf(times: readonly number[]): Recording {
  const recording = emptyRecording(1);
  addChunks(recording, {
    first_ts: new Date(START).toISOString(),
    bytes: { stdin: 0, stdout: times.length * 10, stderr: 0, pty: times.length * 10 + 5 },
    chunks: times.map((time, n) => ({
      ...{ time_us: time * 1000, stream: 'stdout', byte_from: n * 10, byte_to: (n + 1) * 10 },
    })),
  });
  return recording;
}

function run(): RunModel {
  return foldEvents(
    eventsOf([
      ['lifecycle.run.status', { status: 'running' }],
      ['interaction.reply.accepted', { interaction_id: '1.prompt', text: 'do\nit', source: 'prompt' }],
      ['tool.call.started', { call_id: 'c', name: 'write_file' }],
      ['tool.call.failed', { call_id: 'c', name: 'write_file' }],
      ['interaction.approval.requested', { approval_id: 'a', summary: 'run rm' }],
      ['diagnostic.engine.error', { code: 'ENGINE_ERROR', message: 'no', severity: 'error' }],
      ['artifact.created', { path: 'a.txt', size: 1, sha256: null }],
      ['agent.message.final', { message_id: 'm', text: 'it is\n done {"__SKILL_DONE__": true}' }],
    ]),
  );
}
