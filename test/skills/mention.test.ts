import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mentionOf, TachoError } from '../../src/protocol/index.ts';
import { findMentions, parseMention } from '../../src/skills/index.ts';
import { proofSize } from '../support/proof-size.ts';

const a64 = 'a'.repeat(64);

/** A text, and the mentions in it. The first ones are single mentions, which are also valid as arguments. */
const SINGLE: readonly string[] = [
  '$[team].review',
  '$[team:product].review',
  '$[team:product:agent].review',
  '$[a:b:c:d:e:f:g].x',
  '$[a].b',
  '$[0].1',
  '$[a-b].c-d',
  '$[a-b-c:d-e].f_g',
  '$[a]._',
  '$[a].-',
  '$[a].__',
  '$[a].a_b-c_9',
  `$[${a64}].x`,
  `$[a].${a64}`,
  '$[9a:a9].9',
];

const IN_TEXT: readonly [text: string, found: string[]][] = [
  ['', []],
  ['no mention', []],
  ['use $[team].review now', ['$[team].review']],
  ['$[team].review.', ['$[team].review']],
  ['$[team].review, please', ['$[team].review']],
  ['($[team].review)', ['$[team].review']],
  ['"$[team].review"', ['$[team].review']],
  ['`$[team].review`', ['$[team].review']],
  ['$[team].review\n$[team].notes', ['$[team].review', '$[team].notes']],
  ['$[team].review$[team].notes', ['$[team].review', '$[team].notes']],
  ['请用$[team].review检查代码', ['$[team].review']],
  ['é$[team].reviewé', ['$[team].review']],
  ['👍$[team].review👍', ['$[team].review']],
  ['$$[team].review', ['$[team].review']],
  ['x$[team].review', ['$[team].review']],
  ['$[team].review $[team].review', ['$[team].review']],
  ['$[b].x $[a].x $[b].x', ['$[b].x', '$[a].x']],
  ['$[team].review-', ['$[team].review-']],
  ['$[team].review/', ['$[team].review']],
  ['$[team].review:', ['$[team].review']],
  ['$[team].review;$[team].notes;', ['$[team].review', '$[team].notes']],
  ['$[team].review}', ['$[team].review']],
  ['$[team].review>', ['$[team].review']],
  ['$[team].review\u0000', ['$[team].review']],
  ['$[$[team].review', ['$[team].review']],
  ['$[bad..$[team].review', ['$[team].review']],
  // A closing bracket, or more of a word, makes it something else.
  ['$[team].review]', []],
  ['[see $[team].review]', []],
  ['$[team].review] and $[team].review', ['$[team].review']],
  ['$[team].reviewX', []],
  [`$[team].${a64}b`, []],
  // Not mentions.
  ['$[].review', []],
  ['$[team]review', []],
  ['$[team].', []],
  ['$[team]. review', []],
  ['$[team] .review', []],
  ['$ [team].review', []],
  ['[team].review', []],
  ['$(team).review', []],
  ['$<team>.review', []],
  ['$[Team].review', []],
  ['$[team].Review', []],
  ['$[team:].review', []],
  ['$[:team].review', []],
  ['$[team::product].review', []],
  ['$[a:b:c:d:e:f:g:h].x', []],
  ['$[-a].x', []],
  ['$[a-].x', []],
  ['$[a_b].x', []],
  [`$[${a64}a].x`, []],
  ['$[team.product].review', []],
  ['$[team product].review', []],
  ['$[team\n].review', []],
  ['$[té].review', []],
  ['$[team].é', []],
  ['$[team', []],
  ['$[', []],
  ['$', []],
  ['$[team]..review', []],
  ['\\$[team].review', ['$[team].review']],
];

test.each(SINGLE)('%j is a mention, in free text and as an argument', (text) => {
  const [found] = findMentions(`before ${text} after`);
  expect(mentionOf(found!)).toBe(text);
  expect(found!.at).toBe(7);
  expect(mentionOf(parseMention(text))).toBe(text);
});

test.each(IN_TEXT)('%j has the mentions %j', (text, expected) => {
  expect(findMentions(text).map(mentionOf)).toEqual(expected);
});

test('an argument is exactly one mention', () => {
  const wrong = [
    ...IN_TEXT.filter(([, found]) => found.length === 0).map(([text]) => text),
    ' $[team].review',
    '$[team].review ',
    '$[team].review\n',
    'use $[team].review',
    '$[team].review.',
    '$[team].a $[team].b',
    `$[team].${a64}a`,
  ];
  for (const text of wrong) {
    expect(() => parseMention(text), text).toThrow(expect.objectContaining({ code: 'SKILL_MENTION_INVALID' }));
  }
});

test.each([
  ['$[Team].review', 'a namespace has 1 to 7 segments'],
  ['$[team].Review', 'a name has 1 to 64 lower-case letters'],
  [' $[team].review', 'it has spaces before or after it'],
  ['team.review', 'it has to consist of $[, a namespace, ]. and a name'],
  ['$[team].\u001b[2J', String.raw`"$[team].\u001b[2J" is not a mention`],
])('the error for %j says what is wrong', (text, message) => {
  expect(() => parseMention(text)).toThrow(message);
});

const parts = fc.constantFrom(
  '$',
  '[',
  ']',
  ':',
  '.',
  'a',
  'team',
  '$[',
  '].',
  '-',
  '_',
  ' ',
  '\n',
  'A',
  '中',
  '\ud800',
);

test.each([
  ['random characters', fc.string({ unit: 'binary', maxLength: 40 })],
  ['parts of mentions', fc.array(parts, { maxLength: 30 }).map((words) => words.join(''))],
])('no text of %s makes the search throw, and whatever it finds is a mention at its place', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const mention of findMentions(text)) {
        const word = mentionOf(mention);
        if (!text.startsWith(word, mention.at)) throw new Error(`${word} is not at ${mention.at}`);
        parseMention(word);
      }
      try {
        parseMention(text);
      } catch (error) {
        if (!(error instanceof TachoError)) throw error;
      }
    }),
    { numRuns: proofSize({ small: 1000, full: 100_000 }) },
  );
});

test('a long text of almost-mentions is searched without backtracking', () => {
  const count = (length: number) => findMentions(`$[${'a'.repeat(63)}:`.repeat(length)).length;
  expect(count(20_000)).toBe(0);
  expect(findMentions(`$[${'a-'.repeat(500_000)}`)).toEqual([]);
});
