import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { readProcessStat } from '../../../src/files/index.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';
import { builtProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { allowAll } from './allow-all.ts';
import { expectNoneLeft, smallServer, toolNamed } from './servers.ts';

it('a run that was killed during a call continues with a new server, and does not repeat the call', async () => {
  const workspaceRoot = temporaryFolder();
  const { source, command, calls, pids } = smallServer([toolNamed('act')]);
  const program = builtProgram(path.join(import.meta.dirname, 'programs/hanging-run.ts'));
  const running = spawn(process.execPath, [program, workspaceRoot, JSON.stringify(command)], { stdio: 'inherit' });
  await expect.poll(() => calls().some((line) => line.startsWith('hanging'))).toBe(true);
  running.kill('SIGKILL');
  await once(running, 'exit');
  // Its input has ended.
  await expect.poll(() => pids().filter((pid) => readProcessStat(pid)?.zombie === false)).toEqual([]);
  const made = testAgent({
    workspaceRoot,
    policy: allowAll,
    toolSources: [source],
    script: [call('mcp__small__act', { do: 'hang' }), call('mcp__small__act', { n: 2 }), say('Done.')],
    model: { position: 'prompt' },
  });
  const { result, events } = await carryOut(made, made.agent.resume('run-killed'));
  expect(result.status).toBe('completed');
  expect(dataOf(events, 'tool_call_finished').map(({ result: one }) => one)).toMatchObject([
    { error_kind: 'unknown_outcome' },
    { ok: true },
  ]);
  expect(calls().filter((line) => line.startsWith('act'))).toEqual(['act {"do":"hang"}', 'act {"n":2}']);
  expectNoneLeft(pids());
});
