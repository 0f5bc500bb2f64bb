import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { ApprovalFolder } from '../../src/approvals/index.ts';
import { builtProgram } from '../support/program.ts';
import { proofSize } from '../support/proof-size.ts';
import { exampleRequest, newFolder } from './examples.ts';

const program = (name: string) => builtProgram(path.join(import.meta.dirname, 'programs', name));

describe('processes that decide at once', () => {
  test('get the same answer, and one of them has given it', async () => {
    const folder = newFolder();
    const approvals = new ApprovalFolder(folder);
    for (let round = 0; round < proofSize({ small: 2, full: 25 }); round++) {
      const approval_id = `approval-${round}`;
      approvals.request(exampleRequest({ approval_id }));
      const waiting = approvals.wait(approval_id, new AbortController().signal);
      const deciders = ['one', 'two', 'three', 'four'].map((by) => startDecider([folder, approval_id, 'digest-1', by]));
      await Promise.all(deciders.map(({ line }) => line()));
      for (const { child } of deciders) child.stdin.write('go\n');
      const answers = await Promise.all(deciders.map(async ({ line }) => JSON.parse(await line())));
      expect(new Set(answers.map(({ by }) => by)).size).toBe(1);
      expect(await waiting).toEqual(answers[0]);
      await Promise.all(deciders.map(({ closed }) => closed));
    }
  });
});

describe('terminal approver on a real terminal', () => {
  test.each([
    ['y', 'approved'],
    ['a', 'approved_with_rule'],
    ['\u0003', 'abort'],
  ])('takes the key %j without Enter', async (key, decision) => {
    const command = `${process.execPath} ${program('ask-on-terminal.ts')}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let shown = '';
    child.stdout.on('data', (data: Buffer) => {
      shown += data.toString();
    });
    await expect.poll(() => shown).toContain('stop the run]');
    child.stdin.write(key);
    await once(child, 'close');
    expect(JSON.parse(/answer (\{.*\})/.exec(shown)![1]!)).toMatchObject({ decision, by: 'terminal' });
  });

  test('refuses pipes', async () => {
    const child = spawn(process.execPath, [program('ask-on-terminal.ts')], { stdio: ['pipe', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    await once(child, 'close');
    expect(errors).toContain('needs a terminal');
  });
});

function startDecider(args: string[]) {
  const child = spawn(process.execPath, [program('decide.ts'), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string, closed: once(child, 'close') };
}
