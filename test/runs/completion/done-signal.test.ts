import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDoneSignals } from '../../../src/runs/completion/done-signal.ts';

const LINE = 'AGENT_ENV_DONE {"version":"1","state":"completed"}';

describe('findDoneSignals', () => {
  test('reads every field of a signal', () => {
    const signal = {
      version: '1',
      state: 'awaiting_user_input',
      needs_user_input: true,
      reason_code: 'NEEDS_A_KEY',
      result_kind: 'json_object',
    };
    const line = `AGENT_ENV_DONE ${JSON.stringify(signal)}`;
    expect(findDoneSignals(`before\n${line}\nafter\n`)).toEqual([{ line, signal }]);
  });

  test('ignores fields it does not know, such as the name of a skill', () => {
    const known = { version: '1', state: 'completed', result_kind: 'text', reason_code: 'ALL_DONE' };
    const line = `AGENT_ENV_DONE ${JSON.stringify({ skill: 'paint-doors', ...known, later: [{ more: null }] })}`;
    expect(findDoneSignals(line)).toEqual([{ line, signal: known }]);
  });

  test.each([
    ['indented', `\t  ${LINE}`],
    ['with more than one blank between the word and the object', LINE.replace(' ', ' \t ')],
    ['with a terminal’s line ending', `${LINE}\r\n`],
    ['written over another line of a terminal', `working…\r${LINE}`],
    ['with trailing blanks', `${LINE}   `],
    ['without a line ending', `\n\n${LINE}`],
  ])('reads a signal %s', (_how, text) => {
    expect(findDoneSignals(text)).toMatchObject([{ signal: { version: '1', state: 'completed' } }]);
  });

  test.each([
    ['another version', 'AGENT_ENV_DONE {"version":"2","state":"completed"}'],
    ['a version that is a number', 'AGENT_ENV_DONE {"version":1,"state":"completed"}'],
    ['no version', 'AGENT_ENV_DONE {"state":"completed"}'],
    ['no state', 'AGENT_ENV_DONE {"version":"1"}'],
    ['the state of a run instead of an attempt’s', 'AGENT_ENV_DONE {"version":"1","state":"succeeded"}'],
    ['a reason that is not a code', 'AGENT_ENV_DONE {"version":"1","state":"completed","reason_code":"all is well"}'],
    ['an unknown kind of result', 'AGENT_ENV_DONE {"version":"1","state":"completed","result_kind":"xml"}'],
    ['a string for a boolean', 'AGENT_ENV_DONE {"version":"1","state":"completed","needs_user_input":"no"}'],
    ['a truncated object', 'AGENT_ENV_DONE {"version":"1","state":'],
    ['text after the object', `${LINE} and more`],
    ['no object', 'AGENT_ENV_DONE completed'],
    ['null', 'AGENT_ENV_DONE null'],
  ])('reports a signal with %s as invalid', (_what, line) => {
    expect(findDoneSignals(`before\n${line}\nafter`)).toEqual([{ line, signal: null }]);
  });

  test.each([
    ['in the middle of a sentence', `Print ${LINE} at the end.`],
    ['as part of a longer word', `MY_${LINE}`],
    ['as the prefix of a longer word', LINE.replace('DONE', 'DONE_LATER')],
    ['by itself', 'AGENT_ENV_DONE\n{"version":"1","state":"completed"}'],
  ])('does not take the word %s for a signal', (_where, text) => expect(findDoneSignals(text)).toEqual([]));

  test('finds all valid and invalid signals, in order, among other lines', () => {
    const signal = fc.record(
      {
        version: fc.constant('1' as const),
        state: fc.constantFrom('completed', 'awaiting_user_input', 'interrupted', 'unknown'),
        needs_user_input: fc.boolean(),
        reason_code: fc.stringMatching(/^[A-Z][A-Z0-9_]{0,63}$/),
        result_kind: fc.constantFrom('json_object', 'text', 'none'),
      },
      { requiredKeys: ['version', 'state'] },
    );
    const other = fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !text.includes('AGENT_ENV_DONE'));
    fc.assert(
      fc.property(fc.array(fc.tuple(other, fc.option(signal)), { maxLength: 6 }), (parts) => {
        const lines = parts.map(([, value]) => `AGENT_ENV_DONE ${value ? JSON.stringify(value) : '{'}`);
        const text = parts.map(([before], at) => `${before}\n${lines[at]}\n`).join('');
        expect(findDoneSignals(text)).toEqual(lines.map((line, at) => ({ line, signal: parts[at]![1] })));
      }),
    );
  });
});
