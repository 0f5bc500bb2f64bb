import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, fail, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import type { Approver } from '../../../src/approvals/index.ts';
import type { AgentEvent, ToolResult } from '../../../src/protocol/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, dataOf, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { common, eventsOf, forkAndFinish, newFolder, recordingTrees } from './forks.ts';
import { treeOf } from './tree.ts';

const model = { position: 'prompt' as const };
const yes: Approver = { decide: async () => ({ decision: 'approved', reason: null, rule: null, by: 'test' }) };
const tools = builtinTools({ names: ['file_write', 'apply_patch', 'read_file'] });
const asksAboutPatches = policyOf(({ tool }) => (tool === 'apply_patch' ? 'ask' : 'allow'));

const patch = `*** Begin Patch
*** Update File: notes/a.txt
@@
-one
+two
*** Delete File: old.txt
*** Add File: deep/er/b.txt
+new
*** End Patch
`;
const script = [
  call('file_write', { path: 'notes/a.txt', content: 'one\n' }),
  [say('Both.'), call('file_write', { path: 'c.txt', content: 'c\n' }), call('read_file', { path: 'notes/a.txt' })],
  call('apply_patch', { patch }),
  call('file_write', { path: 'c.txt', content: 'changed\n' }),
  say('Done.'),
];

function workspace(): string {
  const root = temporaryFolder();
  fs.writeFileSync(path.join(root, 'old.txt'), 'old\n');
  fs.chmodSync(path.join(root, 'old.txt'), 0o755);
  fs.writeFileSync(path.join(root, 'untouched.txt'), 'same\n');
  fs.symlinkSync('untouched.txt', path.join(root, 'link'));
  fs.mkdirSync(path.join(root, 'empty'));
  return root;
}

async function finishedRun(more: Partial<TestOptions> = {}) {
  const workspaceRoot = more.workspaceRoot ?? workspace();
  const { trees, logHooks } = recordingTrees(workspaceRoot);
  const parts = testAgent({
    script,
    model,
    tools,
    policy: asksAboutPatches,
    approvals: yes,
    ...more,
    workspaceRoot,
    logHooks,
  });
  const { events, result } = await carryOut(parts);
  const again = (root: string, other: Partial<TestOptions> = {}) =>
    testAgent({
      script,
      model,
      tools,
      policy: asksAboutPatches,
      approvals: yes,
      ...more,
      ...other,
      workspaceRoot: root,
    });
  return { ...parts, events, result, trees, again, runId: result.run_id };
}

function find(events: readonly AgentEvent[], type: string, n = 0): AgentEvent {
  return events.filter((event) => event.type === type)[n]!;
}

describe('a fork', () => {
  it('at every event has its events, its files, and completes to the same end', async () => {
    const { agent, events, trees, again, runId, options } = await finishedRun();
    const task = find(events, 'user_message').seq;
    expect(treeOf(options.workspaceRoot)).toHaveProperty(['deep/er/b.txt']);
    expect(treeOf(options.workspaceRoot)).not.toHaveProperty(['old.txt']);
    for (const { seq } of events) {
      const send = seq < task ? 'Do it' : undefined;
      const fork = await agent.fork(runId, { at: seq, into: newFolder(), send });
      expect(treeOf(fork.workspaceRoot), `event ${seq}`).toEqual(trees[seq]);
      expect(fork.notRestored).toEqual([]);
    }
    for (const { seq, type } of events) {
      const send = seq < task || seq === events.length ? 'Do it' : undefined;
      const forked = await forkAndFinish(agent, runId, { at: seq, into: newFolder(), send }, (root) => again(root));
      const shared = type === 'run_completed' ? seq - 1 : seq;
      expect(forked.events.slice(0, shared).map(common)).toEqual(events.slice(0, shared).map(common));
      expect(forked.events[shared]!.type).toBe('run_forked');
      expect(forked.events[0]).toMatchObject({
        run_id: forked.fork.runId,
        data: { forked_from: { run_id: runId, seq, wal_locator: expect.stringContaining(runId) } },
      });
      // At the end there is a turn more, which the script does not have.
      if (seq < events.length) {
        expect(forked.events.at(-1)!.type, `event ${seq} (${type})`).toBe('run_completed');
        expect(treeOf(forked.fork.workspaceRoot)).toEqual(treeOf(options.workspaceRoot));
      }
    }
  });

  it('of a fork is a fork like any other', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const first = await forkAndFinish(
      agent,
      runId,
      { at: find(events, 'tool_call_finished').seq, into: newFolder(), send: 'Go on' },
      (root) => again(root),
    );
    const parts = again(first.fork.workspaceRoot);
    for (const { seq } of first.events) {
      if (seq < 3) continue;
      const next = await forkAndFinish(parts.agent, first.fork.runId, { at: seq, into: newFolder() }, (root) =>
        again(root),
      );
      expect(next.events.at(-1)!.type, `event ${seq}`).toBe('run_completed');
      expect(new Set(next.events.map(({ run_id }) => run_id))).toEqual(new Set([next.fork.runId]));
    }
  });

  it('with an edited task is given the other one', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const at = find(events, 'user_message').seq;
    const parts: ReturnType<typeof again>[] = [];
    const { events: forked } = await forkAndFinish(
      agent,
      runId,
      { at, into: newFolder(), edit: { message: 'Do something else' } },
      (root) => {
        parts.push(again(root));
        return parts[0]!;
      },
    );
    expect(find(forked, 'user_message').data).toMatchObject({ text: 'Do something else', origin: 'task' });
    expect(parts[0]!.model.requests[0]!.prompt.at(-1)!.content).toMatchObject([{ text: 'Do something else' }]);
  });

  it('with an edited answer of the model keeps its calls', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const at = find(events, 'llm_response_completed', 1).seq;
    const { events: forked } = await forkAndFinish(
      agent,
      runId,
      { at, into: newFolder(), edit: { message: 'Only these two.' } },
      (root) => again(root),
    );
    expect(forked[at - 1]!.data).toMatchObject({
      parts: [{ type: 'text', text: 'Only these two.' }, { name: 'file_write' }, { name: 'read_file' }],
    });
    expect(forked.at(-1)!.type).toBe('run_completed');
  });

  it('with an edited result tells the model that one, and keeps the files', async () => {
    const { agent, events, again, runId, trees } = await finishedRun();
    const finished = find(events, 'tool_call_finished') as AgentEvent<'tool_call_finished'>;
    const result: ToolResult = { ...finished.data.result, stdout: 'created nothing\n' };
    const into = newFolder();
    const parts: ReturnType<typeof again>[] = [];
    const { fork, events: forked } = await forkAndFinish(
      agent,
      runId,
      { at: finished.seq, into, edit: { result } },
      (root) => {
        expect(treeOf(root)).toEqual(trees[finished.seq]);
        parts.push(again(root));
        return parts[0]!;
      },
    );
    expect(forked[finished.seq - 1]!.data).toMatchObject({
      result: { stdout: 'created nothing\n' },
      files: expect.any(Array),
    });
    expect(dataOf(forked, 'run_forked')).toMatchObject([
      { edited: true, run_id: runId, workspace: fork.workspaceRoot },
    ]);
    expect(JSON.stringify(parts[0]!.model.requests[0]!.prompt)).toContain('created nothing');
  });

  it('with an edited result of a denied call replays as well', async () => {
    const { agent, events, again, runId } = await finishedRun({
      policy: policyOf(({ tool }) => (tool === 'file_write' ? 'deny' : 'allow')),
    });
    const denied = find(events, 'tool_call_finished') as AgentEvent<'tool_call_finished'>;
    const result: ToolResult = { ...denied.data.result, ok: true, error_kind: null, stdout: 'created', stderr: '' };
    const { events: forked } = await forkAndFinish(
      agent,
      runId,
      { at: denied.seq, into: newFolder(), edit: { result } },
      (root) => again(root),
    );
    expect(forked[denied.seq - 1]!.data).toMatchObject({ result: { ok: true } });
  });

  it('with another policy is judged by it, also a call that was requested before', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const strict = { ...policyOf(() => 'deny'), digest: 'strict' };
    for (const at of [find(events, 'tool_call_requested').seq, find(events, 'tool_call_started').seq]) {
      const { fork, events: forked } = await forkAndFinish(agent, runId, { at, into: newFolder() }, (root) =>
        again(root, { policy: strict }),
      );
      const later = forked.slice(at);
      expect(dataOf(later, 'tool_call_requested')[0]).toMatchObject({ verdict: { decision: 'deny' } });
      expect(dataOf(later, 'tool_call_finished')[0]!.result.error_kind).toBe('denied');
      expect(treeOf(fork.workspaceRoot)).not.toHaveProperty('c.txt');
    }
  });

  it('with another policy replays calls that the first one refused, early or not', async () => {
    const strict = { ...policyOf(({ tool }) => (tool === 'file_write' ? 'deny' : 'allow')), digest: 'strict' };
    const refused = [
      call('file_write', { path: 'a', content: 'x'.repeat(500) }, { pieces: 16 }),
      call('file_write', { path: 'b', content: 'b' }),
      call('file_write', { path: 'c', content: 'c' }),
      say('Done.'),
    ];
    const { agent, events, again, runId } = await finishedRun({ policy: strict, script: refused });
    expect(dataOf(events, 'llm_response_completed')[0]!.finish_reason).toBe('refused_early');
    const at = find(events, 'llm_response_completed', 2).seq - 2;
    const { fork } = await forkAndFinish(agent, runId, { at, into: newFolder() }, (root) =>
      again(root, { policy: policyOf(() => 'allow') }),
    );
    expect(treeOf(fork.workspaceRoot)).toHaveProperty('c');
    expect(treeOf(fork.workspaceRoot)).not.toHaveProperty('a');
  });

  it('with another model asks that one', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const at = find(events, 'llm_request_started', 1).seq;
    const { events: forked } = await forkAndFinish(agent, runId, { at, into: newFolder() }, (root) =>
      again(root, { model: { ...model, id: 'scripted:other' }, script: [say('?'), say('Short.')] }),
    );
    expect(dataOf(forked.slice(at), 'llm_request_started')).toMatchObject([{ model: 'scripted:other', step: 2 }]);
    expect(forked.at(-1)!.data).toMatchObject({ text: 'Short.' });
  });

  it('asks again for what was approved in the other workspace', async () => {
    const { agent, events, again, runId } = await finishedRun();
    const at = find(events, 'approval_decided').seq;
    const { fork, events: forked } = await forkAndFinish(agent, runId, { at, into: newFolder() }, (root) =>
      again(root),
    );
    expect(dataOf(forked.slice(at), 'approval_requested')).toMatchObject([
      { run_id: fork.runId, approval_id: `${fork.runId}.a2`, actions: expect.any(Array) },
    ]);
    expect(JSON.stringify(dataOf(forked.slice(at), 'approval_requested'))).not.toContain(agent.options.workspaceRoot);
  });

  it('of a failed or cancelled run continues from its end', async () => {
    const failing = [call('file_write', { path: 'a', content: '1' }), fail({ kind: 'auth' })];
    const { agent, events, again, runId, result } = await finishedRun({ script: failing });
    expect(result.status).toBe('failed');
    const { events: forked } = await forkAndFinish(
      agent,
      runId,
      { at: events.length, into: newFolder(), send: 'Again' },
      (root) => again(root, { script: [say('?'), say('Fine now.')] }),
    );
    expect(forked.at(-1)!.data).toMatchObject({ text: 'Fine now.' });
    expect(dataOf(forked, 'user_message').at(-1)).toMatchObject({ text: 'Again', origin: 'send' });
  });

  it('keeps secrets out of its log, and in its vault', async () => {
    const secrets = [{ name: 'TOKEN', value: 'sesame-4711' }];
    const { agent, events, again, runId } = await finishedRun({ secrets });
    const at = find(events, 'user_message').seq;
    const parts: ReturnType<typeof again>[] = [];
    const { fork } = await forkAndFinish(
      agent,
      runId,
      { at, into: newFolder(), edit: { message: 'Say sesame-4711' }, send: 'And sesame-4711' },
      (root) => {
        parts.push(again(root));
        return parts[0]!;
      },
    );
    expect(fs.readFileSync(fork.locator, 'utf8')).not.toContain('sesame-4711');
    expect(JSON.stringify(parts[0]!.model.requests[0]!.prompt)).toContain('Say sesame-4711');
    expect(JSON.stringify(parts[0]!.model.requests[0]!.prompt)).toContain('And sesame-4711');
  });

  it('takes the output that did not fit into a result along', async () => {
    const long = recordedTools({ look: 'x'.repeat(300_000) });
    const { agent, events, runId } = await finishedRun({ tools: long, script: [call('look', {}), say('Done.')] });
    const { artifact } = dataOf(events, 'tool_call_finished')[0]!;
    const fork = await agent.fork(runId, { at: events.length, into: newFolder() });
    const copy = path.join(path.dirname(fork.locator), 'artifacts', artifact!);
    expect(fs.readFileSync(copy, 'utf8')).toHaveLength(300_000);
  });
});

describe('a fork is refused', () => {
  it.each([
    ['inside the workspace', (root: string) => path.join(root, 'sub/fork')],
    ['as the workspace itself', (root: string) => root],
    [
      'into a folder with files',
      () => {
        const folder = temporaryFolder();
        fs.writeFileSync(path.join(folder, 'a'), '');
        return folder;
      },
    ],
    [
      'into a link',
      () => {
        const link = path.join(temporaryFolder(), 'link');
        fs.symlinkSync(temporaryFolder(), link);
        return link;
      },
    ],
    [
      'inside the workspace by a link',
      (root: string) => {
        const link = path.join(temporaryFolder(), 'link');
        fs.symlinkSync(root, link);
        return path.join(link, 'fork');
      },
    ],
  ])('%s', async (_, into) => {
    const { agent, runId, options } = await finishedRun();
    const before = treeOf(options.workspaceRoot);
    await expect(agent.fork(runId, { at: 3, into: into(options.workspaceRoot) })).rejects.toMatchObject({
      code: 'USAGE',
      fix: expect.any(String),
    });
    expect(treeOf(options.workspaceRoot)).toEqual(before);
  });

  it('at an event that there is not, and leaves no folder', async () => {
    const { agent, runId, events } = await finishedRun();
    const into = newFolder();
    for (const at of [0, -1, 1.5, events.length + 1]) {
      await expect(agent.fork(runId, { at, into })).rejects.toMatchObject({ code: 'USAGE' });
    }
    await expect(agent.fork(runId, { at: 1, into })).rejects.toMatchObject({ fix: expect.stringContaining('send') });
    await expect(agent.fork(runId, { at: 3, into, runId })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(agent.fork(runId, { at: 3, into, edit: { result: {} as never } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    const finished = find(events, 'tool_call_finished').seq;
    await expect(agent.fork(runId, { at: finished, into, edit: { message: 'x' } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(agent.fork(runId, { at: finished, into, edit: { result: {} as never } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(fs.existsSync(into)).toBe(false);
  });

  it('if the log was changed', async () => {
    const { agent, runId, options } = await finishedRun();
    const log = path.join(options.workspaceRoot, '.tacho/runs', runId, 'events.jsonl');
    fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('Do it', 'Do evil'));
    const into = newFolder();
    await expect(agent.fork(runId, { at: 4, into })).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    expect(fs.existsSync(into)).toBe(false);
  });

  it('if its vault is damaged, and leaves the folder as it was', async () => {
    const { agent, runId, options, events } = await finishedRun();
    const vault = path.join(options.workspaceRoot, '.tacho/runs', runId, 'vault');
    const bytes = fs.readFileSync(vault);
    const at = bytes.indexOf('one\n');
    bytes.write('uno\n', bytes.lastIndexOf('one\n'));
    expect(at).toBeGreaterThan(0);
    fs.writeFileSync(vault, bytes);
    const into = temporaryFolder();
    const finished = find(events, 'tool_call_finished').seq;
    await expect(agent.fork(runId, { at: finished, into })).rejects.toMatchObject({ code: 'VAULT_DAMAGED' });
    expect(fs.readdirSync(into)).toEqual([]);
  });
});

it('a fork into an empty folder that exists uses it', async () => {
  const { agent, runId, events } = await finishedRun();
  const into = temporaryFolder();
  const fork = await agent.fork(runId, { at: events.length, into, runId: 'my-fork' });
  expect(fork).toMatchObject({ runId: 'my-fork', workspaceRoot: fs.realpathSync(into) });
  expect((await eventsOf(fork.locator)).at(-1)!.type).toBe('run_forked');
});
