import { expect, test } from 'vitest';
import { failureText } from '../../studio/model/conversation/failure-text.ts';

test('translates the reason of a failure that tacho determined', () => {
  const message = 'The run took longer than allowed and was ended.';
  expect(failureText({ code: 'HARD_TIMEOUT', category: 'runtime', message })).toEqual([
    message,
    '运行超过时限，已被终止。',
  ]);
});

test('keeps the engine’s message next to the translation', () => {
  expect(failureText({ code: 'EXIT_NONZERO', category: 'engine', message: 'quota exceeded' })[1]).toBe(
    '程序的退出码不为 0。 quota exceeded',
  );
});

test('shows a reason without a translation unchanged', () => {
  expect(failureText({ code: 'NEW_CODE', category: 'runtime', message: 'odd' })).toEqual(['odd', 'odd']);
});
