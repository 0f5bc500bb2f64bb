import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/approvals/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { ASKED, DENIED, EVERYDAY } from './command-lines.ts';
import { judgeLine, policyWith, WORKSPACE } from './judge.ts';

const numRuns = proofSize({ small: 1500, full: 100_000 });

/** Ways to have a line run by something else. */
const WRAPPERS: readonly ((line: string) => string)[] = [
  ...['bash -c', 'sh -c', 'bash -lc', 'bash -euo pipefail -c', '/bin/bash -c', '/usr/bin/env bash -c', 'zsh -c'].map(
    quoting,
  ),
  ...[
    'env bash -c',
    'env -i sh -c',
    'env CI=1 bash -c',
    'env -u X bash -c',
    'timeout 5 bash -c',
    'nice -n 5 sh -c',
  ].map(quoting),
  ...['nohup bash -c', 'setsid -w sh -c', 'stdbuf -oL bash -c', 'command bash -c', 'exec bash -c', 'xargs bash -c'].map(
    quoting,
  ),
  ...['xargs -I{} bash -c', 'eval', 'command eval', 'builtin eval', 'watch', 'watch -n 1', 'busybox sh -c'].map(
    quoting,
  ),
  ...[
    'ssh host',
    'docker exec box sh -c',
    'strace -f sh -c',
    'script -c',
    'sudo sh -c',
    'bash <<<',
    'time bash -c',
  ].map(quoting),
  ...['npm test; bash -c', 'ls | bash -c', 'CI=1 bash -c', '! sh -c', 'trap', 'bash --norc -c', 'bash +x -c'].map(
    quoting,
  ),
  (line) => `find . -exec bash -c ${quote(line)} \\;`,
  (line) => `find . -name x -execdir sh -c ${quote(line)} {} +`,
  (line) => `bash <<'END_OF_TEXT'\n${line}\nEND_OF_TEXT\n`,
  (line) => `echo ${quote(line)} | sh`,
  (line) => `printf %s ${quote(line)} | bash -s`,
  (line) => `echo $(bash -c ${quote(line)})`,
  (line) => `ls "$(bash -c ${quote(line)})"`,
  (line) => `cat <(bash -c ${quote(line)})`,
  (line) => `cat <<END_OF_TEXT\n$(bash -c ${quote(line)})\nEND_OF_TEXT\n`,
  (line) => `if bash -c ${quote(line)}; then ls; fi`,
  (line) => `for x in a; do bash -c ${quote(line)}; done`,
  (line) => `while false; do bash -c ${quote(line)}; done`,
  (line) => `case a in a) bash -c ${quote(line)};; esac`,
  (line) => `f() { bash -c ${quote(line)}; }; f`,
  (line) => `( cd . && bash -c ${quote(line)} )`,
  (line) => `{ bash -c ${quote(line)}; } 2>&1 | tail -3`,
  (line) => `(\n${line}\n)`,
  (line) => `{\n${line}\n}`,
  (line) => `ls\n${line}`,
  (line) => `${line}\nls`,
  (line) => `if true; then\n${line}\nfi`,
  (line) => `echo "$(\n${line}\n)"`,
];

const wrapper = fc.constantFrom(...WRAPPERS);
const wrappers = fc.array(wrapper, { minLength: 1, maxLength: 4 });

describe('wrapped command lines', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await policyWith({ rules: [{ decision: 'allow', command: ['npm', 'test'] }] });
  });
  const isAllowed = (line: string): boolean => judgeLine(policy, line).decision === 'allow';
  const wrap = (line: string, by: readonly ((line: string) => string)[]): string =>
    by.reduce((text, wrapIn) => wrapIn(text), line);

  test('every single wrapper keeps what is denied or asked about from being allowed', () => {
    // In the small size each line has every sixth wrapper, and each wrapper every sixth line.
    const step = proofSize({ small: 6, full: 1 });
    const wrong = [...DENIED, ...ASKED].flatMap((line, row) =>
      WRAPPERS.filter((_, column) => (row + column) % step === 0)
        .map((wrapIn) => wrapIn(line))
        .filter(isAllowed),
    );
    expect(wrong).toEqual([]);
  });

  test('nested wrappers do so too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DENIED, ...ASKED), wrappers, (line, by) => !isAllowed(wrap(line, by))),
      { numRuns },
    );
  });

  test('lines beside it do not change that either', () => {
    // In another folder the same path may be one of the workspace.
    const everyday = fc.constantFrom(...EVERYDAY.filter((line) => !/\n|\bcd /.test(line)));
    const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n');
    fc.assert(
      fc.property(
        everyday,
        joint,
        fc.constantFrom(...DENIED, ...ASKED),
        fc.boolean(),
        (safe, by, line, isFirst) => !isAllowed(isFirst ? `${line}${by}${safe}` : `${safe}${by}${line}`),
      ),
      { numRuns },
    );
  });

  test('a denied command stays denied however its words are quoted', () => {
    const commands = fc.constantFrom(
      ['sudo', 'id'],
      ['rm', '-rf', '/'],
      ['mkfs', '/dev/sda'],
      ['bash', '-c', 'sudo id'],
    );
    const style = fc.integer({ min: 0, max: 5 });
    fc.assert(
      fc.property(commands, fc.array(style, { minLength: 1, maxLength: 30 }), (words, styles) => {
        let at = 0;
        const line = words
          .map((word) => [...word].map((letter) => quoteLetter(letter, styles[at++ % styles.length]!)).join(''))
          .join(' ');
        return judgeLine(policy, line).decision === 'deny';
      }),
      { numRuns },
    );
  });

  test('understood wrappers do not ask about what is allowed', () => {
    const understood = WRAPPERS.slice(0, 6).concat(
      quoting('timeout 5 bash -c'),
      quoting('eval'),
      quoting('nice sh -c'),
    );
    const wrong = EVERYDAY.filter((line) => !/\n/.test(line)).flatMap((line) =>
      understood.map((wrapIn) => wrapIn(line)).filter((text) => !isAllowed(text)),
    );
    expect(wrong).toEqual([]);
  });
});

describe('any command line', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await policyWith({
      rules: [
        { decision: 'allow', command: ['npm', ['test', 'run']] },
        { decision: 'deny', command: ['git', 'push', '--force'] },
        { decision: 'ask', path: 'secrets/**', access: 'read' },
      ],
    });
  });
  const fragments = fc.constantFrom(
    ...[
      'ls',
      'rm',
      '-rf',
      '/',
      '~',
      'sudo',
      'bash',
      '-c',
      'env',
      'find',
      '-exec',
      '{}',
      '+',
      ';',
      '\\;',
      'xargs',
      'git',
    ],
    ...[
      '$',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      '{',
      '}',
      '(',
      '((',
      '))',
      '[[',
      ']]',
      '[',
      ']',
      '<',
      '>',
      '>>',
      '<<',
      '<<<',
    ],
    ...[
      '&',
      '&&',
      '|',
      '||',
      '\n',
      ' ',
      '\t',
      '#',
      '!',
      '=',
      'A=',
      '${',
      ':-',
      '@P',
      '*',
      '?',
      'if',
      'then',
      'fi',
      'for',
    ],
    ...[
      'in',
      'do',
      'done',
      'case',
      'esac',
      ';;',
      'function',
      'f()',
      'EOF',
      '<<EOF\n',
      "<<'EOF'\n",
      'eval',
      'time',
      '-S',
    ],
    ...[
      'cd',
      '..',
      'cat',
      '.tacho',
      '\u0000',
      '\u202e',
      '\ud800',
      'é',
      '日本',
      '\r',
      '-',
      '--',
      '-I{}',
      'timeout',
      '5',
    ],
  );
  const lines = fc.oneof(
    fc.array(fc.oneof(fragments, fc.string({ maxLength: 5 })), { maxLength: 30 }).map((parts) => parts.join('')),
    fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join(' ')),
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc
      .constantFrom(...EVERYDAY, ...DENIED, ...ASKED)
      .chain((line) =>
        fc.tuple(fc.nat(line.length), fragments).map(([at, part]) => line.slice(0, at) + part + line.slice(at)),
      ),
  );

  test('is judged without an error', () => {
    fc.assert(
      fc.property(lines, (line) => {
        expect(['allow', 'ask', 'deny']).toContain(judgeLine(policy, line).decision);
      }),
      { numRuns },
    );
  });

  test('is judged without an error as a program with arguments', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fragments, lines), { minLength: 1, maxLength: 8 }), (argv) => {
        policy.evaluate({ tool: 'x', actions: [{ kind: 'program', argv, cwd: WORKSPACE }] });
      }),
      { numRuns: numRuns / 4 },
    );
  });

  test.each([
    ['nested shells', 'bash -c '.repeat(2000)],
    ['nested launchers', 'strace '.repeat(3000)],
    ['nested substitutions', `${'echo $('.repeat(3000)}ls${')'.repeat(3000)}`],
    ['nested groups', `${'('.repeat(5000)}ls${')'.repeat(5000)}`],
    ['many commands', 'ls; '.repeat(5000)],
    ['a long word', `echo ${'a'.repeat(60_000)}`],
    ['a line that is too long', `echo ${'a'.repeat(200_000)}`],
    ['many words', `ls ${'x '.repeat(20_000)}`],
    ['many braces', `echo ${'{a,b}'.repeat(5000)}`],
    ['many wrappers', `${'env nice timeout 5 '.repeat(1000)}ls`],
  ])('%s end in a decision', (_, line) => {
    expect(['allow', 'ask', 'deny']).toContain(judgeLine(policy, line).decision);
  });
});

function quoting(prefix: string): (line: string) => string {
  return (line) => `${prefix} ${quote(line)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoteLetter(letter: string, style: number): string {
  if (letter === ' ' && style < 2) return '\\ ';
  switch (style) {
    case 1:
      return `\\${letter}`;
    case 2:
      return `'${letter}'`;
    case 3:
      return `"${letter}"`;
    case 4:
      return `$'\\x${letter.charCodeAt(0).toString(16)}'`;
    case 5:
      return `''${quote(letter)}\\\n`;
    default:
      return letter;
  }
}
