import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import type { Approver } from '../../../src/approvals/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, dataOf, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { proofSize } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { common, eventsOf, forkAndFinish, newFolder, recordingTrees } from './forks.ts';
import { treeOf } from './tree.ts';

const model = { position: 'prompt' as const };
const yes: Approver = { decide: async () => ({ decision: 'approved', reason: null, rule: null, by: 'test' }) };
const tools = builtinTools({ names: ['file_write', 'apply_patch', 'shell_command', 'read_file'] });
const asksAboutRemovals = policyOf(({ actions }) =>
  actions.some((action) => action.kind === 'shell' && action.line.startsWith('rm')) ? 'ask' : 'allow',
);
const run = (command: string) => call('shell_command', { command });

const patch = `*** Begin Patch
*** Update File: src/a.txt
@@
-one
+two
*** End Patch
`;
const script = [
  call('file_write', { path: 'src/a.txt', content: 'one\n' }),
  run('cat src/a.txt'),
  run('echo made > made.txt; chmod 750 made.txt; mkdir -p out/deep; echo x > out/deep/x; ln -s made.txt out/link'),
  call('apply_patch', { patch }),
  run('chmod 600 made.txt; ln -sfn deep/x out/link; echo three > src/a.txt; mkdir hollow'),
  call('file_write', { path: 'made.txt', content: 'by a tool\n' }),
  run('rm -r out src kept.txt hollow && mkdir src && mv made.txt src/made.txt && touch -d 2001-01-01 src/made.txt'),
  run('echo over > out && git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm first'),
  run('exit 3'),
  say('Done.'),
];

function agentIn(workspaceRoot: string, more: Partial<TestOptions> = {}) {
  return testAgent({
    script,
    model,
    tools,
    policy: asksAboutRemovals,
    approvals: yes,
    env: { GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z' },
    ...more,
    workspaceRoot,
  });
}

function workspace(): string {
  const root = temporaryFolder();
  fs.writeFileSync(path.join(root, 'kept.txt'), 'kept\n', { mode: 0o644 });
  fs.mkdirSync(path.join(root, 'other'));
  fs.writeFileSync(path.join(root, 'other/bin'), Buffer.from([0, 255, 0, 254]));
  return root;
}

it('at every event of a run with commands, a fork has the files of that event and can be completed', async () => {
  const root = workspace();
  const { trees, logHooks } = recordingTrees(root);
  const { agent, options } = agentIn(root, { logHooks });
  const { events, result } = await carryOut({ agent, options });
  expect(result.status).toBe('completed');
  expect(dataOf(events, 'tool_call_finished').map(({ incomplete }) => incomplete)).toEqual(Array(9).fill(undefined));
  expect(treeOf(root)).toMatchObject({ out: expect.stringContaining('file'), 'src/made.txt': expect.any(String) });
  const task = events.findIndex(({ type }) => type === 'user_message') + 1;
  for (const { seq, type } of events) {
    const send = seq < task ? 'Do it' : undefined;
    const fork = await agent.fork(result.run_id, { at: seq, into: newFolder(), send });
    expect(treeOf(fork.workspaceRoot), `event ${seq} (${type})`).toEqual(trees[seq]);
    expect(fork.notRestored).toEqual([]);
    await eventsOf(fork.locator);
  }
  for (const { seq, type } of events) {
    // Each fork runs the commands that follow again, which takes time.
    if (!proofSize({ small: /^(tool_call_started|approval_decided)/, full: /./ }).test(type) || seq < task) continue;
    const { fork, events: forked } = await forkAndFinish(agent, result.run_id, { at: seq, into: newFolder() }, agentIn);
    const shared = type === 'run_completed' ? seq - 1 : seq;
    expect(forked.slice(0, shared).map(common)).toEqual(events.slice(0, shared).map(common));
    expect(forked.at(-1)!.type, `event ${seq} (${type})`).toBe('run_completed');
    expect(dataOf(forked, 'run_resumed')).toMatchObject([{ changed_outside: [], workspace: fork.workspaceRoot }]);
    const files = (folder: string) => Object.entries(treeOf(folder)).filter(([name]) => !name.startsWith('.git/'));
    expect(files(fork.workspaceRoot)).toEqual(files(root));
    expect(execFileSync('git', ['-C', fork.workspaceRoot, 'status', '--short'], { encoding: 'utf8' })).toBe('');
  }
});

it('a command that changes nothing has no files in the log', async () => {
  const root = workspace();
  const { agent, options } = agentIn(root, { script: [run('cat kept.txt; ls -R'), run('true'), say('Done.')] });
  const { events } = await carryOut({ agent, options });
  for (const data of dataOf(events, 'tool_call_finished')) {
    expect(data.files).toBeUndefined();
    expect(data.incomplete).toBeUndefined();
  }
});

it('what is too large or too much is named, by the call and by the fork', async () => {
  const root = workspace();
  fs.writeFileSync(path.join(root, 'large'), Buffer.alloc(5000, 1));
  const parts = agentIn(root, {
    keep: { fileBytes: 1000 },
    script: [
      run('echo a > large; echo b > kept.txt'),
      run('head -c 3000 /dev/zero > large; echo c > kept.txt'),
      say('Done.'),
    ],
  });
  const { events, result } = await carryOut(parts);
  const [first, second] = dataOf(events, 'tool_call_finished');
  expect(first).toMatchObject({
    incomplete: expect.stringContaining('large before: it has 5000 bytes, more than 1000'),
    files: [{ path: 'kept.txt' }, { path: 'large', before: null, before_lost: expect.any(String) }],
  });
  expect(second).toMatchObject({ incomplete: expect.stringContaining('large: it has 3000 bytes') });
  const start = await parts.agent.fork(result.run_id, { at: 3, into: newFolder() });
  expect(start.notRestored).toContainEqual({ path: 'large', reason: expect.stringContaining('5000 bytes') });
  expect(fs.readFileSync(path.join(start.workspaceRoot, 'kept.txt'), 'utf8')).toBe('kept\n');
  const middle = await parts.agent.fork(result.run_id, {
    at: events.find(({ type }) => type === 'tool_call_finished')!.seq,
    into: newFolder(),
  });
  expect(fs.readFileSync(path.join(middle.workspaceRoot, 'large'), 'utf8')).toBe('a\n');
  const end = await parts.agent.fork(result.run_id, { at: events.length, into: newFolder() });
  expect(end.notRestored).toEqual([{ path: 'large', reason: expect.stringContaining('as it is now') }]);
  expect(fs.statSync(path.join(end.workspaceRoot, 'large')).size).toBe(3000);
});

it('limits of files and of bytes in total are named', async () => {
  const root = workspace();
  for (let n = 0; n < 30; n++) fs.writeFileSync(path.join(root, `f${n}`), 'x'.repeat(100));
  const few = agentIn(root, {
    keep: { entries: 10 },
    script: [run('echo new > zz-new; for n in *; do echo y >> $n; done 2>/dev/null'), say('Done.')],
  });
  const { events, result } = await carryOut(few);
  expect(dataOf(events, 'tool_call_finished')[0]!.incomplete).toContain('only 10 files and folders were compared');
  const fork = await few.agent.fork(result.run_id, { at: 3, into: newFolder() });
  expect(fork.notRestored).toContainEqual({ path: '.', reason: expect.stringContaining('only 10 files') });
  const light = agentIn(root, {
    keep: { totalBytes: 500 },
    script: [run('for n in f*; do echo z > $n; done'), say('Done.')],
  });
  const { events: second } = await carryOut(light, 'Do it', { runId: 'second' });
  expect(dataOf(second, 'tool_call_finished')[0]!.incomplete).toContain('more than 500 bytes in total');
});
