import { expect, test } from 'vitest';
import { Pen } from '../../studio/model/terminal/pen.ts';

function after(...sequences: Parameters<Pen['apply']>[0][]): string {
  const pen = new Pen();
  for (const sequence of sequences) pen.apply(sequence);
  return String(pen).replace('\x1b', '');
}

test('a new pen is plain', () => {
  expect(after()).toBe('[0m');
  expect(after([1, 31], [0])).toBe('[0m');
  expect(after([1, 31], [])).toBe('[0m');
});

test('the last colour counts, and the default colour removes it', () => {
  expect(after([31], [32])).toBe('[0;32m');
  expect(after([31, 44], [39])).toBe('[0;44m');
  expect(after([97, 103], [49])).toBe('[0;97m');
});

test('colours beyond the sixteen keep their parts', () => {
  expect(after([38, 5, 208, 1])).toBe('[0;38;5;208;1m');
  expect(after([48, 2, 1, 2, 3], [4])).toBe('[0;48;2;1;2;3;4m');
  expect(after([38, [2, -1, 10, 20, 30]])).toBe('[0;38:2::10:20:30m');
  expect(after([4, [3]])).toBe('[0;4:3m');
});

test('each off code ends its attribute', () => {
  expect(after([1, 2, 3, 4, 7, 9], [22, 24])).toBe('[0;3;7;9m');
});
