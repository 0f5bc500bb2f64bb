import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { setInYaml, unsetInYaml } from '../../src/config/edit/edit-yaml.ts';
import { proofSize } from '../support/proof-size.ts';

const FILE = `# Ours
limits:
    timeout_ms: 30m   # long enough
    # and no longer
    kill_grace_ms: "5s"

terminal: {cols: 80,  rows: 24}
recording:
    ignore:
        - node_modules
        - .git
# the end
`;

describe('setInYaml', () => {
  test.each([
    [
      'replaces a value on its line',
      ['limits', 'timeout_ms'],
      '1h',
      ['    timeout_ms: 30m   #', '    timeout_ms: 1h   #'],
    ],
    ['replaces a value in quotes', ['limits', 'kill_grace_ms'], 3000, ['"5s"', '3000']],
    ['replaces a value in a flow map', ['terminal', 'cols'], 100, ['cols: 80', 'cols: 100']],
    ['quotes a text that would be another type', ['limits', 'timeout_ms'], 'null', ['30m', '"null"']],
    [
      'adds a key below the last one of its section',
      ['limits', 'linger_ms'],
      0,
      ['"5s"\n', '"5s"\n    linger_ms: 0\n'],
    ],
    [
      'adds a section below the last one',
      ['journal', 'fsync'],
      'each',
      ['        - .git\n', '        - .git\njournal:\n    fsync: each\n'],
    ],
    [
      'adds a list on one line',
      ['recording', 'level'],
      ['a b', 'c'],
      ['        - .git\n', '        - .git\n    level: [a b, c]\n'],
    ],
  ] as const)('%s, and changes nothing else', (_, path, value, [before, after]) => {
    expect(setInYaml(FILE, path, value)).toBe(FILE.replace(before, after));
    expect(setInYaml(FILE.replaceAll('\n', '\r\n'), path, value)).toBe(
      FILE.replace(before, after).replaceAll('\n', '\r\n'),
    );
  });

  test.each([
    ['', 'terminal:\n  cols: 1\n'],
    ['# only a remark', '# only a remark\nterminal:\n  cols: 1\n'],
    ['terminal:\n', 'terminal:\n  cols: 1\n'],
    ['terminal:\n  cols:\n', 'terminal:\n  cols: 1\n'],
    ['terminal:\n  term: |\n    x\n', 'terminal:\n  term: |\n    x\n  cols: 1\n'],
    ['terminal:\n  rows: 2', 'terminal:\n  rows: 2\n  cols: 1'],
  ])('sets a value in %j', (text, expected) => {
    expect(setInYaml(text, ['terminal', 'cols'], 1)).toBe(expected);
  });

  test('sets a value in an empty flow map', () => {
    expect(parse(setInYaml('terminal: {}\n', ['terminal', 'cols'], 1))).toEqual({ terminal: { cols: 1 } });
  });

  test('keeps comments if it must rewrite the file', () => {
    const written = setInYaml(FILE, ['recording', 'ignore'], ['dist']);
    expect(parse(written).recording).toEqual({ ignore: ['dist'] });
    for (const remark of ['# Ours', '# long enough', '# and no longer', '# the end']) expect(written).toContain(remark);
    expect(written).toContain('\n    timeout_ms: 30m');
  });

  test('writes a map on separate lines', () => {
    const value = { host: 'h', user: 'u' };
    expect(setInYaml('', ['targets', 'ssh', 'a'], value)).toBe(
      'targets:\n  ssh:\n    a:\n      host: h\n      user: u\n',
    );
  });

  test('refuses a path through something that is not a map', () => {
    expect(() => setInYaml('terminal: 5\n', ['terminal', 'cols'], 1)).toThrow('Expected YAML collection');
  });
});

describe('unsetInYaml', () => {
  test.each([
    ['one of several keys', ['limits', 'timeout_ms'], ['    timeout_ms: 30m   # long enough\n', '']],
    [
      'a section with its last key',
      ['recording', 'ignore'],
      ['recording:\n    ignore:\n        - node_modules\n        - .git\n', ''],
    ],
    ['a whole section', ['recording'], ['recording:\n    ignore:\n        - node_modules\n        - .git\n', '']],
  ] as const)('removes %s, and changes nothing else', (_, path, [before, after]) => {
    expect(unsetInYaml(FILE, path)).toBe(FILE.replace(before, after));
  });

  test('removes a key of a flow map', () => {
    expect(parse(unsetInYaml(FILE, ['terminal', 'cols'])!).terminal).toEqual({ rows: 24 });
  });

  test('leaves no entry behind that would mean a removal', () => {
    expect(unsetInYaml('targets:\n  ssh:\n    a:\n      port: 1\n    b: null\n', ['targets', 'ssh', 'a', 'port'])).toBe(
      'targets:\n  ssh:\n    b: null\n',
    );
    expect(unsetInYaml('# x\nterminal:\n  cols: 1\n', ['terminal', 'cols'])).toBe('# x\n');
  });

  test('reports a missing key', () => {
    expect(unsetInYaml(FILE, ['limits', 'linger_ms'])).toBeUndefined();
    expect(unsetInYaml('', ['limits'])).toBeUndefined();
  });
});

test('any set value is read back, and can be unset', () => {
  const key = fc.constantFrom('a', 'b', 'c.d', '1', 'null', 'x y');
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('a: b', '# x', 'x\ny', '- 1'),
  );
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
  const path = fc.array(key, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(path, value, path, value, (first, one, second, other) => {
      fc.pre(!isPrefix(first, second) && !isPrefix(second, first));
      for (const start of ['', FILE]) {
        const text = setInYaml(setInYaml(start, first, one), second, other);
        expect([at(parse(text), first), at(parse(text), second)]).toEqual([one, other]);
        const without = unsetInYaml(text, second)!;
        expect([at(parse(without), first), at(parse(without), second)]).toEqual([one, undefined]);
      }
    }),
    { numRuns: proofSize({ small: 60, full: 1000 }) },
  );
});

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.every((part, index) => long[index] === part);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], value);
}
