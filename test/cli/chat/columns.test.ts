import { expect, test } from 'vitest';
import { columnsOf, cutToColumns, takeColumns } from '../../../src/cli/chat/columns.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['déjà', 4],
  ['e\u0301', 1],
  ['日本語', 6],
  ['ｆｕｌｌ', 8],
  ['한국어', 6],
  ['🎉', 2],
  ['❤', 1],
  ['❤\ufe0f', 2],
  ['🇩🇪', 2],
  ['a\u200bb', 2],
  ['✔ ⚙ ✖ › … ☐ ⠋', 13],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test('a character is never split', () => {
  expect(takeColumns('日本語', 3)).toBe('日');
  expect(takeColumns('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301e\u0301');
  expect(takeColumns('a👩‍💻b', 4)).toBe('a');
  expect(takeColumns('a👩‍💻b', 5)).toBe('a👩‍💻');
  expect(takeColumns('🇩🇪🇫🇷', 3)).toBe('🇩🇪');
});

test('every piece has at least one character, so that splitting ends', () => {
  expect(takeColumns('日', 1)).toBe('日');
  expect(takeColumns('👩‍👩‍👩‍👩', 4)).toBe('👩‍👩‍');
});

test('a truncated text ends with an ellipsis', () => {
  expect(cutToColumns('whole', 5)).toBe('whole');
  expect(cutToColumns('too long', 5)).toBe('too…');
  expect(cutToColumns('日本語', 5)).toBe('日本…');
  expect(cutToColumns('日本', 1)).toBe('…');
});
