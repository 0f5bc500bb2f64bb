import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasDoneMember } from '../../../src/runs/result/done-member.ts';
import { takePayload } from '../../../src/runs/result/take-payload.ts';

const DONE = '"__SKILL_DONE__": true';

describe('takePayload', () => {
  const cases: [title: string, message: string, value: unknown][] = [
    ['a message that is JSON', `{"a": 1, ${DONE}}`, { a: 1 }],
    ['JSON in a code fence', `Here:\n\`\`\`json\n{${DONE}, "a": [1]}\n\`\`\`\nBye.`, { a: [1] }],
    ['JSON in a fence of tildes', `~~~\n{"a": 1, ${DONE}}\n~~~`, { a: 1 }],
    ['JSON after a sentence', `The result is {"a": {"b": "}"}, ${DONE}}`, { a: { b: '}' } }],
    ['JSON before a sentence', `{"a": 1, ${DONE}}\nThat was all.`, { a: 1 }],
    ['JSON with colours', `\u001b[32m{"a":\u001b[0m 1, ${DONE}}`, { a: 1 }],
    ['the old marker', '{"a": 1, "__skill_done__": true}', { a: 1 }],
    ['a marker in an inner object', `{"result": {"a": 1, ${DONE}}}`, { result: { a: 1 } }],
    ['a list before the done object', `[1, 2]\n{${DONE}}`, [1, 2]],
    ['a fenced list before a fenced done object', `\`\`\`json\n["x"]\n\`\`\`\n\n\`\`\`json\n{${DONE}}\n\`\`\``, ['x']],
    ['a number before the done object', `42\n\n{${DONE}}`, 42],
    ['text before the done object', `All tests pass.\n{${DONE}}`, 'All tests pass.'],
    ['the last of several marked objects', `{"a": 1, ${DONE}}\nNo, rather:\n{"a": 2, ${DONE}}`, { a: 2 }],
    ['a marked object before other JSON', `{"a": 1, ${DONE}}\n\`\`\`json\n{"b": 2}\n\`\`\``, { a: 1 }],
    ['an announced marker before the result', `I will print {${DONE}} at the end.\n{"a": 1, ${DONE}}`, { a: 1 }],
    ['a done signal after the result', `{"a": 1}\nAGENT_ENV_DONE {"version":"1","state":"completed"}`, { a: 1 }],
    ['unmarked JSON in a fence', 'See:\n```\n{"a": 1}\n```\nThat was it.', { a: 1 }],
    ['unmarked JSON at the end', 'So [1] it is {"a": 1}', { a: 1 }],
    ['unmarked JSON in a sentence', 'The object {"a": 1} is wrong.', 'The object {"a": 1} is wrong.'],
    ['a footnote', 'As shown in [1]', 'As shown in [1]'],
    ['broken JSON', `{"a": 1,, ${DONE}}`, '{"a": 1,}'],
    ['a fence that is not closed', `\`\`\`json\n{"a": 1, ${DONE}}`, { a: 1 }],
    ['a fence inside of a longer one', `\`\`\`\`\n\`\`\`json\n{"a": 1}\n\`\`\`\n\`\`\`\`\n{"b": 2, ${DONE}}`, { b: 2 }],
    ['Windows line ends', `\`\`\`json\r\n{"a": 1, ${DONE}}\r\n\`\`\`\r\n`, { a: 1 }],
  ];
  it.each(cases)('takes %s', (_title, message, value) => {
    expect(takePayload(message)?.value).toEqual(value);
  });

  it('takes the message before one that only says that the work is done', () => {
    expect(takePayload(`{${DONE}}`, 'The answer:\n```json\n[1]\n```')).toEqual({ value: [1], isJson: true });
    expect(takePayload(`{${DONE}}`)).toBeNull();
    expect(takePayload('', 'before')).toBeNull();
    expect(takePayload(null)).toBeNull();
  });

  it('keeps a member called __proto__ and a marker that is not true', () => {
    const value = takePayload(`{"__proto__": {"a": 1}, "__SKILL_DONE__": "no", "x": {${DONE}}}`)?.value;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"__SKILL_DONE__":"no","x":{}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('does not overflow on values nested thousands of levels deep', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(takePayload(`${deep}\n{"a": 1, ${DONE}}`)?.value).toEqual({ a: 1 });
    expect(takePayload(deep)?.isJson).toBe(false);
  });

  it('ends on texts made to be read again and again', () => {
    for (const piece of ['{', '[",', '{"a":[', '[]', '```\n', '"', '\\"{']) {
      expect(takePayload(`${piece.repeat(5_000)}\n{"a": 1, ${DONE}}`), piece).not.toBeUndefined();
    }
  });

  it('finds any object with the marker, however it is wrapped', () => {
    const wrap = fc.constantFrom<(json: string) => string>(
      (json) => json,
      (json) => `\`\`\`json\n${json}\n\`\`\``,
      (json) => `Done.\n\n${json}`,
      (json) => `${json}\n`,
      (json) => `\u001b[1m${json}\u001b[0m`,
    );
    const members = fc.dictionary(
      fc.string().filter((name) => !/skill_done|__proto__/i.test(name)),
      fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
      { minKeys: 1, maxKeys: 5 },
    );
    fc.assert(
      fc.property(members, fc.boolean(), fc.nat(4), wrap, (object, pretty, place, around) => {
        const entries = Object.entries(object);
        entries.splice(place, 0, ['__SKILL_DONE__', true]);
        const json = JSON.stringify(Object.fromEntries(entries), null, pretty ? 2 : undefined);
        expect(takePayload(around(json))).toEqual({ value: object, isJson: true });
      }),
      { numRuns: 200 },
    );
  });

  it('never throws, and never leaves the marker in', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '```', '\n', 'json', DONE, '1', ' ', 'x');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const payload = takePayload(pieces.join(''));
        expect(hasDoneMember(payload?.value)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
