import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { projectRoot, sandbox, temporaryFolder } from '../../support/tacho.ts';

const agent = (name: string) => path.join(projectRoot, 'test/agents', name);

describe('every byte of a command ends up in the right file, on terminals of the right size', () => {
  test('random bytes are recorded unchanged', async () => {
    const { json, audit, events } = sandbox();
    const file = path.join(temporaryFolder(), 'random');
    fs.writeFileSync(file, randomBytes(proofSize({ small: 8_000_000, full: 50_000_000 })));
    const sha256 = (name: string) => createHash('sha256').update(fs.readFileSync(name)).digest('hex');
    const answer = await json(['run', '--', 'cat', file], {});
    expect(answer.exit_code).toBe(0);
    expect(sha256(path.join(audit(), 'stdout.1.log'))).toBe(sha256(file));
    expect(fs.statSync(path.join(audit(), 'stderr.1.log')).size).toBe(0);
    expect(JSON.parse(fs.readFileSync(path.join(audit(), 'meta.1.json'), 'utf8')).parse.coverage).toBe(1);
    expect(events().length).toBeLessThan(3000);
  });

  test('a Node program that writes stderr first', async () => {
    const { jsonHere, audit } = sandbox();
    await jsonHere(['run', '--', process.execPath, agent('stderr-first.mjs')]);
    expect(fs.readFileSync(path.join(audit(), 'stdout.1.log'), 'utf8')).toBe('second on stdout\n');
    expect(fs.readFileSync(path.join(audit(), 'stderr.1.log'), 'utf8')).toBe('first on stderr\nthird on stderr\n');
  });

  test('a program that uses writev', async () => {
    const { jsonHere, audit } = sandbox();
    await jsonHere(['run', '--', process.execPath, agent('write-vectors.mjs')]);
    const lines = (name: string) => Array.from({ length: 50 }, (_, index) => `${name} ${index}\n`).join('');
    expect(fs.readFileSync(path.join(audit(), 'stdout.1.log'), 'utf8')).toBe(lines('out'));
    expect(fs.readFileSync(path.join(audit(), 'stderr.1.log'), 'utf8')).toBe(lines('err'));
  });

  test('eight threads writing', async () => {
    const { jsonHere, audit } = sandbox();
    await jsonHere(['run', '--', process.execPath, agent('write-threads.mjs')]);
    for (const [name, first] of [
      ['stdout.1.log', 0],
      ['stderr.1.log', 1],
    ] as const) {
      const lines = fs.readFileSync(path.join(audit(), name), 'utf8').trimEnd().split('\n');
      expect(lines).toHaveLength(800);
      for (const thread of [0, 2, 4, 6].map((even) => even + first)) {
        const own = lines.filter((line) => line.startsWith(`thread ${thread} `));
        expect(own).toEqual(Array.from({ length: 200 }, (_, line) => `thread ${thread} line ${line}`));
      }
    }
  });

  test('all three descriptors are a TTY with the right size', async () => {
    const { jsonHere, audit } = sandbox();
    const script = 'for fd in 0 1 2; do test -t $fd && echo "tty $fd"; done; stty size; stty size <&1; stty size <&2';
    await jsonHere(['run', '--', 'bash', '-c', script], {
      env: { TACHO_TERMINAL_COLS: '97', TACHO_TERMINAL_ROWS: '31' },
    });
    expect(fs.readFileSync(path.join(audit(), 'stdout.1.log'), 'utf8')).toBe(
      'tty 0\ntty 1\ntty 2\n31 97\n31 97\n31 97\n',
    );
  });
});
