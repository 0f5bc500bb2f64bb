import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { finished, sandbox, tachoCommand } from '../../support/tacho.ts';

test('with few descriptors a run ends with an error code and message, never with a stack trace', async () => {
  const box = sandbox();
  for (const limit of proofSize({ small: [22, 28, 32], full: [20, 22, 24, 26, 28, 30, 32, 34, 36, 38] })) {
    const words = ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', process.execPath, tachoCommand, 'run', '--', 'true'];
    const child = spawn('bash', words, { cwd: box.work, env: { ...process.env, TACHO_HOME: box.home, NO_COLOR: '1' } });
    const { code, stderr } = await finished(child);
    expect({ limit, code }).toEqual({ limit, code: 1 });
    expect(stderr).toMatch(/\[[A-Z_]+\]\n/);
    expect(stderr).not.toMatch(/^\s+at |INTERNAL|RECORD_TOUCHED/m);
  }
  await box.here(['recover']);
  for (const runId of box.runIds()) expect((await box.here(['verify', runId])).stdout).toContain('intact');
});

test('a run whose record is full of pipes still ends at its timeout', async () => {
  const box = sandbox();
  const pipes = ['conversation.jsonl', 'parser_diagnostics.jsonl', 'meta.1.json', 'seal.1.json', 'writes.1.jsonl'];
  const script = `cd "${box.home}/runs/$TACHO_RUN_ID/.audit" && mkfifo ${pipes.join(' ')}; echo ready; exec sleep 1000`;
  const answer = await box.json(['run', '--timeout', '2', '--', 'bash', '-c', script]);
  expect(answer).toMatchObject({ status: 'failed', completion: { reason_code: 'HARD_TIMEOUT' } });
  expect((await box.jsonHere(['verify', answer.run_id])) as object).toMatchObject({ verdict: 'intact' });
});
