import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { parseFrontmatter, splitFrontmatter } from '../../src/skills/frontmatter.ts';
import { parsePlainYaml } from '../../src/skills/plain-yaml.ts';
import { proofSize } from '../support/proof-size.ts';

const whole = { isWhole: true };

function read(text: string) {
  const bytes = Buffer.from(text);
  const head = splitFrontmatter(bytes, whole)!;
  return { ...parseFrontmatter(head), body: bytes.subarray(head.bodyAt).toString() };
}

describe('splitFrontmatter', () => {
  test.each([
    ['---\nname: a\n---\nbody\n', 'name: a\n', 'body\n'],
    ['---\r\nname: a\r\n---\r\nbody\r\n', 'name: a\r\n', 'body\r\n'],
    ['\ufeff---\nname: a\n---\nbody', 'name: a\n', 'body'],
    ['---  \nname: a\n---\t\nbody', 'name: a\n', 'body'],
    ['---\nname: a\n---', 'name: a\n', ''],
    ['---\n---\nbody', '', 'body'],
    ['---\na: 1\n--- b\n----\n ---\n---\n---\nbody', 'a: 1\n--- b\n----\n ---\n', '---\nbody'],
  ])('%j', (text, yaml, body) => {
    const bytes = Buffer.from(text);
    const head = splitFrontmatter(bytes, whole)!;
    expect([head.yaml, bytes.subarray(head.bodyAt).toString()]).toEqual([yaml, body]);
  });

  test.each([
    ['no head', '# Title\n'],
    ['an empty file', ''],
    ['text before the head', '\n---\nname: a\n---\n'],
    ['an unfinished head', '---\nname: a\n'],
    ['more than three hyphens', '----\nname: a\n----\n'],
  ])('rejects %s', (_, text) => {
    expect(() => splitFrontmatter(Buffer.from(text), whole)).toThrow(
      expect.objectContaining({ code: 'SKILL_FRONTMATTER_INVALID' }),
    );
  });

  test('rejects bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('---\nname: '), Buffer.from([0xff]), Buffer.from('\n---\n')]);
    expect(() => splitFrontmatter(bytes, whole)).toThrow('it is not UTF-8');
  });

  test('accepts 64 KiB and rejects one byte more', () => {
    const head = (bytes: number) => Buffer.from(`---\n${'#'.repeat(bytes - 1)}\n---\n`);
    expect(splitFrontmatter(head(65_536), whole)!.yaml.length).toBe(65_536);
    expect(() => splitFrontmatter(head(65_537), whole)).toThrow(
      expect.objectContaining({ code: 'SKILL_FRONTMATTER_TOO_LARGE' }),
    );
  });

  test('asks for more bytes until the end of the head is there', () => {
    const bytes = Buffer.from('---\nname: a\n---\nbody');
    for (let length = 4; length < 16; length++) {
      expect(splitFrontmatter(bytes.subarray(0, length), { isWhole: false }), `${length} bytes`).toBeNull();
    }
    expect(splitFrontmatter(bytes.subarray(0, 16), { isWhole: false })?.yaml).toBe('name: a\n');
  });
});

describe('parseFrontmatter', () => {
  test('reads quoted, folded and nested values', () => {
    const text = `---
name: 'review'
description: >-
  Reviews a diff.
  Use it often.
required_env_vars: [A, B]
metadata:
  version: "1.0"
  tags:
    - x
---
Body.
`;
    expect(read(text).fields).toEqual({
      name: 'review',
      description: 'Reviews a diff. Use it often.',
      required_env_vars: ['A', 'B'],
      metadata: { version: '1.0', tags: ['x'] },
    });
  });

  test('reads values with a colon, which other agents accept without quotes', () => {
    const { fields, isRepaired } = read('---\nname: a\ndescription: Use this when: always "now"\n---\n');
    expect([fields.description, isRepaired]).toEqual(['Use this when: always "now"', true]);
  });

  test.each([
    ['an open bracket', 'name: a\ndescription: [b\n', 4],
    ['a key twice', 'name: a\ndescription: b\nname: c\n', 4],
    ['a list', '- a\n', 2],
    ['plain text', 'just text\n', 2],
    ['nothing', '', 2],
    ['an unknown alias', 'name: *a\n', 2],
    ['a tab as indentation', 'metadata:\n\ta: b\n', 3],
    [
      'a billion laughs',
      `a: &a [x]\n${[...'bcdefghij'].map((key, i) => `${key}: &${key} [${`*${'abcdefghi'[i]},`.repeat(9)}]\n`).join('')}`,
      2,
    ],
  ])('rejects %s with its line', (_, yaml, line) => {
    expect(() => read(`---\n${yaml}---\n`)).toThrow(
      expect.objectContaining({ code: 'SKILL_FRONTMATTER_INVALID', facts: { line } }),
    );
  });

  test('a key such as __proto__ changes no object', () => {
    const { fields } = read('---\n__proto__: { polluted: yes }\nconstructor: x\nname: a\n---\n');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(fields.name).toBe('a');
  });
});

test('plain YAML is read as the library reads it', () => {
  const plain = fc.constantFrom(
    'text',
    'two words',
    'a, b',
    '"in quotes"',
    'https://a.example/#b',
    'é中',
    'Trueish',
    "it's",
  );
  const odd = fc.constantFrom(
    'null',
    'True',
    "'s'",
    'x: y',
    'x:',
    'a #b',
    '- i',
    '0',
    '',
    'a ',
    '"a" b',
    '"a\\n"',
    'a\tb',
    '…',
    '|',
  );
  const value = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: odd });
  const key = fc.constantFrom(
    'name',
    'description',
    'metadata',
    'a',
    'b-c',
    'd_e',
    'null',
    '__proto__',
    'constructor',
    '0',
  );
  const separator = fc.oneof({ weight: 9, arbitrary: fc.constant(': ') }, fc.constantFrom(':', ':  ', ' : '));
  const indent = fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom('  ', '    '));
  const line = fc.tuple(indent, key, separator, value);
  const yaml = fc.tuple(fc.array(line, { maxLength: 4 }), fc.constantFrom('\n', '\n', '', '\n\n'));
  let read = 0;
  fc.assert(
    fc.property(yaml, ([lines, end]) => {
      const text = lines.map((parts) => parts.join('')).join('\n') + end;
      const plain = parsePlainYaml(text);
      if (plain === null) return;
      read++;
      const document = parseDocument(text);
      expect([document.errors, document.toJS()]).toEqual([[], plain]);
    }),
    { numRuns: proofSize({ small: 1000, full: 50_000 }) },
  );
  expect(read).toBeGreaterThan(50);
});

test('plain YAML covers what most skills have', () => {
  expect(
    parsePlainYaml(
      'name: review\ndescription: Reviews a diff, e.g. https://a.example/#b.\nmetadata:\n  version: "1.0"\n',
    ),
  ).toEqual({
    name: 'review',
    description: 'Reviews a diff, e.g. https://a.example/#b.',
    metadata: { version: '1.0' },
  });
});
