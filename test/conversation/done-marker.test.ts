import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDoneMarkerFilter, withoutDoneMarker } from '../../src/conversation/index.ts';

const pieces = fc.constantFrom(
  '{"__SKILL_DONE__": true}',
  '{"__skill_done__":true}',
  '`',
  '`{"__SKILL_DONE__": true}`',
  '```json\n',
  '\n```\n',
  '~~~\n',
  '{',
  '}',
  ',',
  ' ',
  '\n',
  '"a": 1',
  '"__SKILL_DONE__"',
  '"__SKILL_DONE__" : true',
  ': true',
  'tr',
  'words `code` ',
);
const texts = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));

describe('withoutDoneMarker', () => {
  test.each([
    ['Done.\n\n```json\n{"__SKILL_DONE__": true}\n```\n', 'Done.\n\n\n'],
    ['All good. {"__SKILL_DONE__": true}', 'All good. '],
    ['The end.\n`{"__SKILL_DONE__": true}`\n', 'The end.\n\n'],
    ['{"__SKILL_DONE__":true,"file":"a.md"}', '{"file":"a.md"}'],
    ['{\n  "file": "a.md",\n  "__SKILL_DONE__": true\n}', '{\n  "file": "a.md"\n}'],
    ['{"a": 1, "__skill_done__": true, "b": 2}', '{"a": 1, "b": 2}'],
    ['{"__SKILL_DONE__": true, "__SKILL_DONE__": true, "b": 2}', '{"b": 2}'],
  ])('removes the marker from %j', (text, shown) => {
    expect(withoutDoneMarker(text)).toBe(shown);
  });

  test.each([
    '{"__SKILL_DONE__": false}',
    'End with "__SKILL_DONE__": true.',
    '```json\n{"a": 1}\n```',
    '',
    '{',
    '```',
  ])('keeps %j unchanged', (text) => {
    expect(withoutDoneMarker(text)).toBe(text);
  });
});

describe('createDoneMarkerFilter', () => {
  test('shows the same text however it is split', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, sizes) => {
        const filter = createDoneMarkerFilter();
        let shown = '';
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          shown += filter.push(text.slice(at, at + size));
          at += size;
        }
        expect(shown + filter.end()).toBe(withoutDoneMarker(text));
      }),
      { numRuns: 500 },
    );
  });

  test('holds back only a possible marker', () => {
    const filter = createDoneMarkerFilter();
    expect(filter.push('one, two {"a": [1, ')).toBe('one, two {"a": [1');
    expect(filter.push('2]}')).toBe(', 2]}');
    expect(filter.push('{"__SKILL')).toBe('');
    expect(filter.end()).toBe('{"__SKILL');
  });
});
