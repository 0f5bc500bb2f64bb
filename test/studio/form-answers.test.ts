import { expect, test } from 'vitest';
import type { AskedQuestion } from '../../src/protocol/index.ts';
import { completeAnswers, draftWords, isOther, parseAnswers } from '../../studio/model/conversation/form-answers.ts';

const database: AskedQuestion = {
  id: 'database',
  text: 'Which database?',
  choices: [
    { value: 'sqlite', description: 'one file' },
    { value: 'postgres', description: null },
  ],
  allow_other: true,
};
const name: AskedQuestion = { id: 'name', text: 'Name?', choices: [], allow_other: true };

test('a form is complete when every question has an answer', () => {
  expect(completeAnswers([database, name], { database: 'sqlite' })).toBeNull();
  expect(completeAnswers([database, name], { database: 'sqlite', name: ' ' })).toBeNull();
  expect(completeAnswers([database, name], { database: 'sqlite', name: ' app ' })).toEqual({
    database: 'sqlite',
    name: 'app',
  });
});

test('an answer that is not offered is one of the user’s own', () => {
  expect([undefined, 'sqlite', '', 'redis'].map((answer) => isOther(database, answer))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('answers of a draft are read only for questions that are asked', () => {
  expect(parseAnswers('{"database":"sqlite","old":"x","name":1}', [database, name])).toEqual({ database: 'sqlite' });
  for (const kept of ['', 'free text', '[]', 'null', '"x"']) expect(parseAnswers(kept, [database])).toEqual({});
});

test('a draft is shown as it was written', () => {
  expect(draftWords('{"database":"sqlite","name":"app"}')).toBe('sqlite\napp');
  for (const text of ['free {text', '[1]', '12', '']) expect(draftWords(text)).toBe(text);
});
