import { describe, expect, test } from 'vitest';
import { type AlignedStep, alignTimes } from '../../../../src/runs/import/folder/align-times.ts';
import type { TimingStep } from '../../../../src/runs/import/formats/script-timing.ts';

/** What the terminal showed in steps of one second, and the streams. */
function align(shown: readonly string[], { stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) {
  const steps: TimingStep[] = shown.map((text) => ({ kind: 'output', after: 1, length: Buffer.byteLength(text) }));
  const run = alignTimes({
    terminal: cut(shown.join('')),
    steps,
    stdout: cut(stdout),
    stderr: cut(stderr),
  });
  const aligned: AlignedStep[] = [];
  for (;;) {
    const { value, done } = run.next();
    if (done)
      return {
        ...value,
        steps: aligned.map((step) => ('length' in step ? [step.time, step.kind, step.length] : step)),
      };
    aligned.push(value);
  }
}

/** In pieces of three bytes: where they are cut does not matter. */
function cut(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 3) }, (_, index) => bytes.subarray(index * 3, index * 3 + 3));
}

describe('alignTimes', () => {
  test('gives the lines of both streams the times at which the terminal showed them', () => {
    const shown = ['one\r\nwar', 'ning\r\ntwo\r\n', 'three\r\n'];
    expect(align(shown, { stdout: 'one\ntwo\nthree\n', stderr: 'warning\n' })).toEqual({
      missing: 0,
      extra: 0,
      steps: [
        [1, 'a', 4],
        [2, 'b', 8],
        [2, 'a', 4],
        [3, 'a', 6],
      ],
    });
  });

  test('does not mind what only the terminal showed, such as an echo, unless it is an event', () => {
    expect(align(['hello\r\none\r\n', '^C\r\n'], { stdout: 'one\n' })).toMatchObject({ missing: 0, extra: 0 });
    expect(align(['{"type":"x"}\r\n', 'one\r\n'], { stdout: 'one\n' })).toMatchObject({ missing: 0, extra: 1 });
  });

  test('goes on after lines that the terminal did not show, and counts them', () => {
    expect(align(['one\r\n', 'three\r\n'], { stdout: 'one\ntwo\nthree\n' })).toEqual({
      missing: 1,
      extra: 0,
      steps: [
        [1, 'a', 4],
        [2, 'a', 10],
      ],
    });
    expect(align(['one\r\n'], { stdout: 'one\nlost\n' })).toMatchObject({ missing: 1 });
  });

  test('keeps carriage returns inside of lines, and a last line without an end', () => {
    const stdout = 'a\rb\r\n50 %\r100 %';
    expect(align(['a\rb\r\r\n', '50 %\r100 %'], { stdout })).toEqual({
      missing: 0,
      extra: 0,
      steps: [
        [1, 'a', 5],
        [2, 'a', 10],
      ],
    });
  });

  test('gives every byte of the streams a time, whatever the terminal showed', () => {
    const stdout = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join('');
    const { steps, missing } = align(['nothing of it\r\n'], { stdout, stderr: 'x\n' });
    expect(missing).toBe(501);
    expect(steps.reduce((sum, step) => sum + (step as [number, string, number])[2], 0)).toBe(stdout.length + 2);
  });
});
