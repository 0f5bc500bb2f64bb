import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDoneMarkers } from '../../../src/runs/completion/done-marker.ts';
import { growth, PROPORTIONAL } from '../../support/growth.ts';

const UPPER = '"__SKILL_DONE__": true';

describe('findDoneMarkers', () => {
  test.each<[string, string, { text: string; legacy: boolean }[]]>([
    ['finds the marker by itself', UPPER, [{ text: UPPER, legacy: false }]],
    [
      'finds it in a JSON object, whatever the white space',
      '{"result":1,"__SKILL_DONE__"\n\t: \r\n true}',
      [{ text: '"__SKILL_DONE__"\n\t: \r\n true', legacy: false }],
    ],
    ['finds it in a code fence', `Done.\n\`\`\`json\n{${UPPER}}\n\`\`\`\n`, [{ text: UPPER, legacy: false }]],
    [
      'finds the old form in lower case and says so',
      '{"__skill_done__":true}',
      [{ text: '"__skill_done__":true', legacy: true }],
    ],
    [
      'finds all of them, in order',
      `{${UPPER}} then {"__skill_done__": true} then {${UPPER}}`,
      [
        { text: UPPER, legacy: false },
        { text: '"__skill_done__": true', legacy: true },
        { text: UPPER, legacy: false },
      ],
    ],
    ['does not take false for true', '{"__SKILL_DONE__": false}', []],
    ['does not take a text for true', '{"__SKILL_DONE__": "true"}', []],
    ['does not take a longer word for true', '{"__SKILL_DONE__": trueish}', []],
    ['does not take mixed case for either form', '{"__Skill_Done__": true}', []],
    ['does not take the bare word for the marker', '__SKILL_DONE__: true', []],
    ['does not take a sentence about it for the marker', 'I will print "__SKILL_DONE__" when I am done: true.', []],
    ['finds none in an empty text', '', []],
  ])('%s', (_title, text, found) => expect(findDoneMarkers(text)).toEqual(found));

  test.each<[string, string]>([
    ['colours', '{\u001b[1;32m"__SKILL_DONE__"\u001b[0m: \u001b[38;5;208mtrue\u001b[m}'],
    ['colours with colons', '{"__SKILL_DONE__":\u001b[38:2::255:0:0m true\u001b[0m}'],
    ['the end of bold text as terminfo has it', '{"__SKILL_DONE__\u001b(B\u001b[m": true}'],
    ['a hyperlink', '{"\u001b]8;;http://localhost/\u0007__SKILL_DONE__\u001b]8;;\u001b\\": true}'],
    ['the cursor being hidden and shown', '{"__SKILL\u001b[?25l_DONE__\u001b[?25h": tr\u001b[Kue}'],
  ])('ignores %s', (_what, text) => {
    expect(findDoneMarkers(text)).toEqual([
      { text: expect.stringMatching(/^"__SKILL_DONE__":\s*true$/), legacy: false },
    ]);
  });

  /** Text of an assistant, with complete escape sequences. */
  const around = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\u001b', '')),
        fc.constantFrom('\u001b[0m', '\u001b[31m', '"', '\\', '{', '}', '\n', '```json\n', '__SKILL_DONE__', ': true'),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))
    .filter((text) => findDoneMarkers(text).length === 0);

  test('finds the marker between any two texts', () => {
    const word = fc.constantFrom('SKILL_DONE', 'skill_done');
    const space = fc.constantFrom('', ' ', '\n  ', '\t');
    fc.assert(
      fc.property(around, around, word, space, space, (before, after, name, left, right) => {
        const marker = `"__${name}__"${left}:${right}true`;
        // Letters directly after it would make it another word.
        const text = `${before}${marker},${after}`;
        expect(findDoneMarkers(text)).toEqual([{ text: marker, legacy: name === 'skill_done' }]);
      }),
      { numRuns: 500 },
    );
  });

  test('finds the marker wherever escape sequences split it', () => {
    const sequence = fc.constantFrom('\u001b[0m', '\u001b[1;31m', '\u001b[K', '\u001b[?25h', '\u001b(B');
    const places = fc.array(fc.tuple(fc.nat({ max: UPPER.length }), sequence), { maxLength: 8 });
    fc.assert(
      fc.property(places, (cuts) => {
        let text = UPPER;
        for (const [at, cut] of cuts.sort((one, other) => other[0] - one[0])) {
          text = text.slice(0, at) + cut + text.slice(at);
        }
        expect(findDoneMarkers(`{${text}}`)).toEqual([{ text: UPPER, legacy: false }]);
      }),
    );
  });

  test('scans a long text with many near matches in linear time', () => {
    const text = (times: number) => '"__SKILL_DONE__"   : tru\u001b[0m'.repeat(times) + '\u001b[1;'.repeat(2 * times);
    expect(growth(2000, (times) => expect(findDoneMarkers(text(times))).toEqual([]))).toBeLessThan(PROPORTIONAL);
  });
});
