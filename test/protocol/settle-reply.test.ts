import { describe, expect, it } from 'vitest';
import { type AskedQuestion, type RunQuestion, settleReply } from '../../src/protocol/index.ts';

const colour: AskedQuestion = {
  id: 'colour',
  text: 'Which colour?',
  choices: [
    { value: 'red', description: null },
    { value: 'blue', description: 'like the sea' },
  ],
  allow_other: false,
};
const name: AskedQuestion = { id: 'name', text: 'Which name?', choices: [], allow_other: true };
const question = (...questions: AskedQuestion[]): RunQuestion => ({
  interaction_id: '1.1',
  prompt: questions.map(({ text }) => text).join('\n'),
  ...(questions.length > 0 ? { questions } : {}),
});
const refusal = (question: RunQuestion, reply: Parameters<typeof settleReply>[1]) => {
  try {
    return settleReply(question, reply);
  } catch (error) {
    return error;
  }
};

describe('settleReply', () => {
  it('keeps the text of a reply to a question without parts', () => {
    expect(settleReply(question(), { text: ' any thing ' })).toEqual({ text: ' any thing ' });
  });

  it('takes a text as the answer to the only question', () => {
    expect(settleReply(question(colour), { text: 'blue\n' })).toEqual({ text: 'blue', answers: { colour: 'blue' } });
    expect(settleReply(question(name), { text: 'Ada' })).toEqual({ text: 'Ada', answers: { name: 'Ada' } });
  });

  it('takes answers to several questions, and says them in the order of the questions', () => {
    const reply = { answers: { name: 'Ada', colour: 'red' } };
    expect(settleReply(question(colour, name), reply)).toEqual({
      text: 'Which colour?\nred\n\nWhich name?\nAda',
      answers: { name: 'Ada', colour: 'red' },
    });
  });

  it('refuses a value that is not offered, and names the choices', () => {
    for (const reply of [{ text: 'green' }, { answers: { colour: 'green' } }]) {
      expect(refusal(question(colour), reply)).toMatchObject({
        code: 'INVALID_REQUEST',
        message: '"green" is not a choice of the question "colour"; the choices are "red", "blue"',
        facts: { interaction_id: '1.1', questions: [{ id: 'colour', choices: ['red', 'blue'] }] },
      });
    }
  });

  it('accepts any text where the question allows it', () => {
    const open = { ...colour, allow_other: true };
    expect(settleReply(question(open), { text: 'green' }).answers).toEqual({ colour: 'green' });
  });

  it.each([
    ['one text for several questions', question(colour, name), { text: 'red' }],
    ['answers where there is nothing to answer by id', question(), { answers: { colour: 'red' } }],
    ['a missing answer', question(colour, name), { answers: { colour: 'red' } }],
    ['an answer to a question that was not asked', question(colour), { answers: { colour: 'red', size: 'L' } }],
    ['the name of a property as an answer', question(colour), { answers: { constructor: 'red' } }],
  ])('refuses %s', (_what, asked, reply) => {
    expect(refusal(asked, reply as never)).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
