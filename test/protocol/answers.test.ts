import { describe, expect, it } from 'vitest';
import { decisionSchema, kindOfQuestions, replySchema, typedAnswer } from '../../src/protocol/index.ts';

const choices = (...values: string[]) => values.map((value) => ({ value, description: null }));
const asked = (allow_other: boolean, ...values: string[]) => ({
  id: 'q',
  text: 'Which?',
  choices: choices(...values),
  allow_other,
});

describe('typedAnswer', () => {
  it.each([
    ['2', 'blue'],
    [' blue ', 'blue'],
    ['0', null],
    ['3', null],
    ['green', null],
    ['', null],
  ])('reads %j as %j', (typed, answer) => {
    expect(typedAnswer(asked(false, 'red', 'blue'), typed)).toBe(answer);
  });

  it('takes any text where the question allows it, but not an empty one', () => {
    expect(typedAnswer(asked(true, 'red'), 'green')).toBe('green');
    expect(typedAnswer(asked(true), '  ')).toBeNull();
    expect(typedAnswer(asked(false), 'text')).toBe('text');
  });

  it('prefers a choice that is a number to the position of another', () => {
    expect(typedAnswer(asked(false, '2', '1'), '1')).toBe('1');
  });
});

it('the kind of a question follows from its parts', () => {
  expect(kindOfQuestions([asked(true)])).toBe('free_text');
  expect(kindOfQuestions([asked(true, 'red')])).toBe('single_choice');
  expect(kindOfQuestions([asked(true), asked(true)])).toBe('form');
});

describe('replySchema', () => {
  it.each([
    [{ text: 'yes' }, true],
    [{ answers: { q: 'yes' } }, true],
    [{}, false],
    [{ text: 'yes', answers: { q: 'yes' } }, false],
    [{ answers: {} }, false],
    [{ answers: { q: ' ' } }, false],
    [{ text: ' ' }, false],
  ])('a reply with %j is valid: %j', (said, isValid) => {
    expect(replySchema.safeParse({ interaction_id: '1.1', ...said }).success).toBe(isValid);
  });
});

it('only an approval can be remembered', () => {
  for (const remember of ['run', 'always'] as const) {
    expect(decisionSchema.safeParse({ decision: 'approved', remember }).success).toBe(true);
    expect(decisionSchema.safeParse({ decision: 'denied', remember }).success).toBe(false);
  }
});
