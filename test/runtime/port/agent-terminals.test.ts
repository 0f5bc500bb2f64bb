import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { call } from '../../../src/agent/models/script.ts';
import { callbackApprover } from '../../../src/approvals/approvers/simple-approvers.ts';
import { createPolicy } from '../../../src/approvals/index.ts';
import type { ToolApprovalRequest } from '../../../src/protocol/index.ts';
import { builtinTools, type RuntimePort } from '../../../src/tools/index.ts';
import { leftSleeping, uniqueSeconds } from '../../acceptance/containment/outliving-ways.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';
import { type OpenedTerminals, openForTest } from './opened.ts';

const noAgents = () => Promise.reject(new Error('there are no child agents here'));

function runtimeOf({ terminals }: OpenedTerminals): RuntimePort {
  return {
    execCommand: (request, signal) => terminals.execCommand(request, signal),
    writeStdin: (request, signal) => terminals.writeStdin(request, signal),
    ...{ spawnAgent: noAgents, waitForAgents: noAgents, sendInput: noAgents },
    ...{ closeAgent: noAgents, resumeAgent: noAgents },
  };
}

/** The id of the last terminal in a prompt. */
function terminalIn(prompt: unknown): string {
  return JSON.stringify(prompt)
    .match(/s-[0-9a-f]{12}/g)!
    .at(-1)!;
}

test('files that a terminal changes are noticed at the end of each call about it', async () => {
  const opened = openForTest();
  const { workspace } = opened;
  const line = 'echo 1 >early.txt; until [ -e go ]; do sleep 0.02; done; echo 2 >late.txt; mkdir made; echo done';
  const script = (request: unknown, n: number) => {
    if (n === 0) return call('exec_command', { command: line, yield_ms: 500 });
    if (n === 1) fs.writeFileSync(path.join(workspace, 'go'), '');
    return n === 1 ? call('write_stdin', { session_id: terminalIn(request), yield_ms: 60_000 }) : 'Done.';
  };
  const { events, result } = await carryOut(
    testAgent({
      script,
      workspaceRoot: workspace,
      runtime: runtimeOf(opened),
      tools: builtinTools({ runtime: true, names: ['exec_command', 'write_stdin'] }),
    }),
  );
  expect(result.status).toBe('completed');
  const [started, waited] = dataOf(events, 'tool_call_finished');
  const [first, second] = [started!, waited!].map(({ files = [] }) => files.map((file) => file.path));
  // On a slow machine the program begins after the first call.
  expect([...first!, ...second!].filter((name) => name === 'early.txt')).toHaveLength(1);
  expect(second!.filter((name) => name !== 'early.txt')).toEqual(['go', 'late.txt', 'made']);
  expect(started!.result).toMatchObject({ ok: true, exit_code: null, data: { session_id: expect.any(String) } });
  expect(waited!.result).toMatchObject({ ok: true, exit_code: 0, stdout: 'done\n', data: { session_id: null } });
});

test('placeholders of an open sandbox are not taken for changes', async () => {
  const opened = openForTest({ sandbox: { profile: 'balanced' } });
  const started = await opened.exec('true').catch(({ kind }) => kind);
  if (started === 'sandbox_denied') return;
  const { workspace } = opened;
  const script = (_: unknown, n: number) =>
    n === 0 ? call('exec_command', { command: 'echo 1 >file.txt; echo ready; cat', yield_ms: 500 }) : 'Done.';
  const agent = testAgent({
    script,
    workspaceRoot: workspace,
    runtime: runtimeOf(opened),
    tools: builtinTools({ runtime: true, names: ['exec_command'] }),
  });
  const { events } = await carryOut(agent);
  expect(fs.existsSync(path.join(workspace, 'config/tacho.yaml'))).toBe(true);
  const changed = dataOf(events, 'tool_call_finished').flatMap(({ files = [] }) => files.map((file) => file.path));
  expect(changed.filter((name) => name !== 'file.txt')).toEqual([]);
});

test('typing is asked about, waiting and Ctrl-C are not', async () => {
  const opened = openForTest();
  const { workspace } = opened;
  const asked: ToolApprovalRequest[] = [];
  const approvals = callbackApprover((request) => {
    asked.push(request);
    return 'approved';
  });
  const turns = [
    () => call('exec_command', { command: 'cat', yield_ms: 0 }),
    (id: string) => call('write_stdin', { session_id: id, text: 'hello\n', yield_ms: 50 }),
    (id: string) => call('write_stdin', { session_id: id, yield_ms: 0 }),
    (id: string) => call('write_stdin', { session_id: id, text: 'sudo id\n' }),
    (id: string) => call('write_stdin', { session_id: id, text: '\u0003', yield_ms: 60_000 }),
  ];
  const { events, result } = await carryOut(
    testAgent({
      script: (request, n) => (n < turns.length ? turns[n]!(n === 0 ? '' : terminalIn(request)) : 'Done.'),
      workspaceRoot: workspace,
      runtime: runtimeOf(opened),
      tools: builtinTools({ runtime: true, names: ['exec_command', 'write_stdin'] }),
      policy: await createPolicy({ workspaceRoot: workspace }),
      approvals,
    }),
  );
  expect(result.status).toBe('completed');
  const results = dataOf(events, 'tool_call_finished').map((finished) => finished.result);
  expect(asked.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^type "hello\\n" into the terminal s-[0-9a-f]{12}$/),
  ]);
  expect(asked[0]!.actions).toMatchObject([{ kind: 'input', text: 'hello\n' }]);
  expect(results.map(({ error_kind, exit_code }) => error_kind ?? exit_code)).toEqual([
    null,
    null,
    null,
    'denied',
    'exit_code',
  ]);
  expect(results[4]).toMatchObject({ exit_code: 130 });
});

test('a cancelled run leaves no process of its terminals', async () => {
  const opened = openForTest();
  const seconds = uniqueSeconds();
  const { agent } = testAgent({
    script: [call('exec_command', { command: `sleep ${seconds}; true`, yield_ms: 300_000 })],
    workspaceRoot: opened.workspace,
    runtime: runtimeOf(opened),
    tools: builtinTools({ runtime: true, names: ['exec_command'] }),
  });
  const run = agent.run('Do it');
  await expect.poll(() => leftSleeping(seconds, { settled: true })).not.toEqual([]);
  await run.cancel();
  expect(await run.result).toMatchObject({ status: 'cancelled' });
  expect(leftSleeping(seconds)).toEqual([]);
});
