import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { createPolicy } from '../../../src/approvals/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

it('gives the conversation no more of an output than the limit, and keeps all of it', async () => {
  const parts = testAgent({
    script: [call('look', {}), say('Done.')],
    tools: recordedTools({ look: 'x'.repeat(50_000) }),
    limits: { maxOutputBytes: 2000 },
  });
  const { events, result } = await carryOut(parts);
  const [finished] = dataOf(events, 'tool_call_finished');
  expect(finished!.result).toMatchObject({ ok: true, truncated: true });
  expect(finished!.result.stdout.length).toBeLessThan(2500);
  const artifact = path.join(path.dirname(result.wal_locator), 'artifacts', finished!.artifact!);
  expect(fs.statSync(artifact).size).toBeGreaterThanOrEqual(50_000);
});

it('runs commands with the timeout of the agent unless they set one', async () => {
  const timeouts: number[] = [];
  const commands = {
    run: (command: { timeoutMs: number }) => {
      timeouts.push(command.timeoutMs);
      return Promise.resolve({ denied: 'only the timeout matters here' });
    },
  };
  const script = [
    call('shell_exec', { argv: ['true'] }),
    call('shell_exec', { argv: ['true'], timeout_ms: 5 }),
    say('Done.'),
  ];
  const parts = testAgent({
    script,
    tools: builtinTools({ names: ['shell_exec'] }),
    sandbox: { commands, posture: {} as never },
    limits: { timeoutMs: 7000 },
  });
  await carryOut(parts);
  expect(timeouts).toEqual([7000, 5]);
});

it('does not let a link in the workspace get around a rule for a path', async () => {
  const workspaceRoot = fs.realpathSync(temporaryFolder());
  fs.mkdirSync(path.join(workspaceRoot, 'private'));
  fs.writeFileSync(path.join(workspaceRoot, 'private/key'), 'the key');
  fs.symlinkSync('private', path.join(workspaceRoot, 'public'));
  const policy = await createPolicy({ workspaceRoot, rules: [{ decision: 'deny', path: 'private/**' }] });
  const parts = testAgent({
    workspaceRoot,
    policy,
    script: [call('file_read', { path: 'public/key' }), say('Done.')],
    tools: builtinTools({ names: ['file_read'] }),
  });
  const { events } = await carryOut(parts);
  expect(dataOf(events, 'tool_call_finished')[0]!.result.ok).toBe(false);
  expect(JSON.stringify(events)).not.toContain('the key');
});
