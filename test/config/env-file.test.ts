import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEnvFile } from '../../src/config/sources/env-file.ts';
import { growth, PROPORTIONAL } from '../support/growth.ts';
import { proofSize } from '../support/proof-size.ts';

const values = (text: string) => parseEnvFile(text).entries.map(({ name, value }) => [name, value]);

describe('parseEnvFile', () => {
  test.each<[string, string, string]>([
    ['a plain value', 'A=one two', 'one two'],
    ['spaces around the sign and the value', '  A =  one  ', 'one'],
    ['an export prefix', 'export A=one', 'one'],
    ['an empty value', 'A=', ''],
    ['a remark after a value', 'A=one # remark', 'one'],
    ['a remark instead of a value', 'A= # remark', ''],
    ['a number sign inside a value', 'A=one#two', 'one#two'],
    ['a number sign at the start of a value', 'A=#1', '#1'],
    ['an equals sign inside a value', 'A=b=c==', 'b=c=='],
    ['single quotes, which keep everything', 'A=\'a\\n$B `c` # "d"\'', 'a\\n$B `c` # "d"'],
    ['double quotes, which know five escapes', 'A="a\\n\\t\\r\\"\\\\ \\x $B"', 'a\n\t\r"\\ \\x $B'],
    ['a remark after quotes', 'A="one" # remark', 'one'],
    ['quotes inside a plain value', 'A=it\'s "so"', 'it\'s "so"'],
    ['no expansion', `A=$\{HOME}/$(id)`, `$\{HOME}/$(id)`],
    ['a Windows line end', 'A=one\r\n', 'one'],
    ['a backslash before the closing quote', 'A="one\\\\"', 'one\\'],
  ])('reads %s', (_, text, value) => {
    expect(parseEnvFile(text)).toEqual({
      entries: [{ name: 'A', value, line: 1, col: text.indexOf('A') + 1 }],
      skipped: [],
    });
  });

  test('reads quoted values over several lines, and counts the lines', () => {
    expect(parseEnvFile('# keys\nKEY="-----BEGIN\nA=not an entry\n-----END"\r\n\r\n  export B=2').entries).toEqual([
      { name: 'KEY', value: '-----BEGIN\nA=not an entry\n-----END', line: 2, col: 1 },
      { name: 'B', value: '2', line: 6, col: 10 },
    ]);
  });

  test('keeps every assignment of a name, in order', () => {
    expect(values('A=1\nB=2\nA=3')).toEqual([
      ['A', '1'],
      ['B', '2'],
      ['A', '3'],
    ]);
  });

  test('skips only the invalid line, and reports it', () => {
    expect(parseEnvFile('A=1\n  no sign here\nB="never closed\n1C=x\nD="x" y\nE=2')).toEqual({
      entries: [
        { name: 'A', value: '1', line: 1, col: 1 },
        { name: 'E', value: '2', line: 6, col: 1 },
      ],
      skipped: [
        { text: 'no sign here', line: 2, col: 3 },
        { text: 'B="never closed', line: 3, col: 1 },
        { text: '1C=x', line: 4, col: 1 },
        { text: 'D="x" y', line: 5, col: 1 },
      ],
    });
  });

  test('reads back any quoted value', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/);
    const pair = fc.tuple(name, fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
        const text = pairs.map(([key, value]) => `${key}="${value.replace(/["\\]/g, '\\$&')}"`).join('\n');
        expect(values(text)).toEqual(pairs);
      }),
    );
  });

  test('never throws, and every entry points at its name', () => {
    const pieces = fc.constantFrom(
      'A',
      '=',
      '"',
      "'",
      '\\',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '\t',
      '#',
      'export ',
      'n',
      '\0',
      'é',
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (content) => {
        const lines = content.split(/\r\n|\n|\r/);
        for (const { name, line, col } of parseEnvFile(content).entries) {
          expect(lines[line - 1]?.slice(col - 1).startsWith(name)).toBe(true);
        }
      }),
      { numRuns: proofSize({ small: 500, full: 2000 }) },
    );
  });

  test('takes linear time', () => {
    for (const line of ['A="', "A='", 'A="\\"', 'A="x" y', 'A=  #', '\t', '=', 'A="\'']) {
      for (const repeated of [`${line}\n`, line]) {
        expect(
          growth(5000, (times) => void parseEnvFile(repeated.repeat(times))),
          line,
        ).toBeLessThan(PROPORTIONAL);
      }
    }
  });
});
