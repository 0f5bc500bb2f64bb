import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../docs/page.ts';
import { sandbox, temporaryFolder } from '../support/tacho.ts';

const recipe = codeBlocks('docs/integrity.md', 'bash').join('\n');

test('the recipe for a manual check finds an unchanged record intact', async () => {
  const audit = await recordTwoAttempts();
  const output = checkByHand(audit);
  expect(output).not.toContain('FAILED');
  for (const name of ['meta.1.json', 'stdout.1.log', 'fs-diff.1.json', 'events.jsonl', 'head']) {
    expect(output).toContain(`${name}: OK`);
  }
  expect(output).toMatch(/blobs\/[0-9a-f]{64}: OK/);
  expect(output).toContain('stdout.1.log, 7 bytes: OK');
  expect(output).toMatch(/pty-output\.1\.log, \d+ bytes: OK/);
  expect(output).toContain('Signature Verified Successfully');
  const [ofKey, inSeal] = output.trimEnd().split('\n').slice(-2);
  expect(ofKey).toBe(inSeal);
});

const CHANGES: [string, string, string | RegExp, string, string][] = [
  ['output', 'stdout.1.log', 'two', 'TWO', 'stdout.1.log: FAILED'],
  ['the facts of the attempt', 'meta.1.json', '"exit_code": 0', '"exit_code": 1', 'meta.1.json: FAILED'],
  ['a word of an event', 'events.jsonl', '"running"', '"canceled"', 'chain: FAILED at event 2'],
  ['the head of the chain in the seal', 'seal.1.json', /"head": "./, '"head": "x', 'head: FAILED'],
  ['the number of the attempt in the seal', 'seal.1.json', '"attempt": 1', '"attempt": 2', 'Verification Failure'],
];

test('the recipe detects every change', { timeout: 120_000 }, async () => {
  const audit = await recordTwoAttempts();
  for (const [what, name, from, to, expected] of CHANGES) {
    const copy = path.join(temporaryFolder(), '.audit');
    fs.cpSync(audit, copy, { recursive: true });
    const content = fs.readFileSync(path.join(copy, name), 'utf8');
    expect(content.replace(from, to), what).not.toBe(content);
    fs.writeFileSync(path.join(copy, name), content.replace(from, to));
    expect(checkByHand(copy), what).toContain(expected);
  }
});

/** The second attempt makes the log longer than the seal of the first says. */
async function recordTwoAttempts(): Promise<string> {
  const { tacho, audit, runIds } = sandbox();
  await tacho(['run', '--', 'bash', '-c', 'echo é; echo two; echo text > file.txt']);
  await tacho(['run', '--run-dir', runIds()[0]!, '--', 'echo', 'again']);
  return audit();
}

function checkByHand(audit: string): string {
  const { stdout, stderr } = spawnSync('bash', ['-c', recipe], { cwd: audit, encoding: 'utf8' });
  return stderr + stdout;
}
