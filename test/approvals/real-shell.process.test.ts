import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proofSize } from '../support/proof-size.ts';
import { EVERYDAY } from './command-lines.ts';
import { policyWith } from './judge.ts';

/** Programs that start others, as they are. */
const REAL = ['bash', 'sh', 'env', 'timeout', 'nice', 'stdbuf', 'setsid', 'xargs', 'find'];
/** Programs that only note that they were started. */
const SAFE = ['ls', 'cat', 'git', 'rg', 'grep', 'head', 'wc', 'sort', 'npm'];
const FORBIDDEN = ['sudo', 'rm', 'evil', 'touch', 'tee', 'cp'];

/**
 * What a real shell makes of lines that the policy allows: no program that it would have asked about is started, and no
 * file appears. Damaged and joined lines look for places where the grammar and the shell differ.
 */
test('a real shell does nothing else for the lines that are allowed', async () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-shell-'));
  const [bin, work, log] = ['bin', 'work', 'log'].map((name) => path.join(root, name)) as [string, string, string];
  preparePrograms(bin, log);
  fs.mkdirSync(path.join(work, 'src'), { recursive: true });
  for (const file of ['a.ts', 'package.json', 'src/index.ts']) fs.writeFileSync(path.join(work, file), 'text\n');
  const before = listAll(work);
  const policy = await policyWith({
    workspaceRoot: work,
    home: path.join(root, 'home'),
    rules: [{ decision: 'allow', command: ['npm', 'test'] }],
  });
  let allowed = 0;
  fc.assert(
    fc.property(lines(), (line) => {
      const { decision } = policy.evaluate({ tool: 'x', actions: [{ kind: 'shell', line, cwd: work }] });
      if (decision !== 'allow') return;
      allowed++;
      fs.writeFileSync(log, '');
      const shell = allowed % 4 === 0 ? 'sh' : 'bash';
      spawnSync(path.join(bin, shell), ['-c', line], {
        cwd: work,
        env: { PATH: bin, HOME: path.join(root, 'home') },
        input: 'rm\n',
        timeout: 20_000,
      });
      const started = fs.readFileSync(log, 'utf8').split('\n');
      expect({ line, started: started.filter((name) => FORBIDDEN.includes(name)) }).toEqual({ line, started: [] });
      expect({ line, files: listAll(work) }).toEqual({ line, files: before });
    }),
    { numRuns: proofSize({ small: 500, full: 60_000 }) },
  );
  expect(allowed).toBeGreaterThan(50);
});

function preparePrograms(bin: string, log: string): void {
  fs.mkdirSync(bin);
  for (const name of REAL) {
    const real = ['/usr/bin', '/bin'].map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
    fs.symlinkSync(real!, path.join(bin, name));
  }
  for (const name of [...SAFE, ...FORBIDDEN]) {
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >> '${log}'\n`, { mode: 0o755 });
  }
}

function lines(): fc.Arbitrary<string> {
  const everyday = fc.constantFrom(
    ...EVERYDAY.filter((line) => !line.includes('while') && !/^(?:\/|date|nice|time )/.test(line)),
    ...["bash -c 'ls; cat a.ts'", 'ls | xargs echo', 'find . -exec cat {} +', 'bash <<EOF\nls\nEOF', "eval 'ls -la'"],
  );
  const part = fc.constantFrom(
    ...[
      'rm',
      'evil x',
      'sudo',
      'touch x',
      ';',
      '&',
      '|',
      '&&',
      '||',
      '\n',
      '\\',
      '\\\n',
      "'",
      '"',
      '`',
      '$(',
      ')',
      '(',
    ],
    ...[
      '>',
      '>x',
      '>>x',
      '<',
      '<<E',
      '<<-E',
      '<<<',
      '>&',
      '&>x',
      '2>',
      '#',
      '!',
      '{',
      '}',
      '${',
      '$',
      '*',
      '?',
      '[',
      ']',
    ],
    ...["$'", '$"', '\\x72m', '=', 'A=1', 'CI=1', '{a,b}', '~', '--', '-', '[[', ']]', '((', '))', 'E\n', 'if', 'then'],
    ...[
      'fi',
      'for x in a; do',
      'done',
      'case x in',
      'esac',
      ';;',
      'f()',
      'eval',
      'exec',
      'env',
      'command',
      'time',
      ' ',
    ],
    ...[
      '\t',
      'bash -c',
      'sh -c',
      'xargs',
      'find . -exec',
      '\\;',
      '+',
      '{}',
      'nice',
      '@(',
      '!(',
      '<(',
      '>(',
      '$((',
      '$[',
    ],
  );
  const inserted = (line: string) =>
    fc
      .array(fc.tuple(fc.nat(line.length), part, fc.boolean()), { minLength: 1, maxLength: 4 })
      .map((parts) =>
        parts.reduce(
          (text, [at, piece, isWord]) => `${text.slice(0, at)}${isWord ? ` ${piece} ` : piece}${text.slice(at)}`,
          line,
        ),
      );
  return fc.oneof(
    { weight: 1, arbitrary: everyday },
    { weight: 6, arbitrary: everyday.chain(inserted) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(everyday, part, everyday)
        .map((parts) => parts.join(' '))
        .chain(inserted),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.oneof(part, fc.constantFrom('ls', 'cat', 'echo')), { maxLength: 8 })
        .map((all) => all.join(' ')),
    },
  );
}

function listAll(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}
