import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentFacts } from '../../../src/agent/facts/index.ts';
import { call, finish, say } from '../../../src/agent/models/script.ts';
import { decideApproval } from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { factsOf, forgedRun, keptRun } from './read-facts.ts';

const USAGE = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const PLAN = {
  plan: [
    { step: 'Look', status: 'completed' },
    { step: 'Change', status: 'in_progress' },
  ],
};

async function carried(options: TestOptions, task = 'Do it', runOptions = {}) {
  const parts = testAgent(options);
  const done = await carryOut(parts, task, runOptions);
  const place = { workspace: fs.realpathSync(parts.options.workspaceRoot), run_id: done.result.run_id };
  return { ...parts, ...done, place };
}

describe('facts of a run', () => {
  it('has steps, calls, plan, budgets and decisions', async () => {
    const tools = [
      ...recordedTools({ look: () => 'seen', act: () => 'done', harm: () => 'never' }, { act: { hasEffects: true } }),
      ...builtinTools({ names: ['update_plan', 'ask_human'] }),
    ];
    const { place, events } = await carried({
      script: [
        [say('First I look.'), call('look', { n: 1 }), call('update_plan', PLAN), finish('tool_calls', USAGE)],
        [call('act', { n: 2 }), call('harm', {}), call('ask_human', { question: 'Which?' })],
        say('All is done.'),
      ],
      tools,
      policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : tool === 'harm' ? 'deny' : 'allow')),
      approvals: { decide: async () => ({ decision: 'approved', reason: 'fine', rule: null, by: 'Ada' }) },
      human: { ask: async ({ questions }) => ({ answers: { [questions[0]!.id]: 'the first' }, by: 'Ada' }) },
      budgets: { max_steps: 9, max_tokens: 1000 },
    });
    const facts = await factsOf(place);
    expect(facts).toMatchObject({
      run_id: place.run_id,
      status: 'completed',
      held: false,
      result: { reason: null, text: 'All is done.' },
      task: 'Do it',
      model: 'scripted:model',
      last_seq: events.length,
      parent: null,
      forked_from: null,
      plan: { items: PLAN.plan, explanation: null },
      budgets: { max_steps: 9, max_tokens: 1000, max_cost_usd: null },
      use: { own: { steps: 3, tokens: 120, cost_usd: null }, tree: { steps: 3, tokens: 120 } },
      total_steps: 3,
      next_step: null,
      problems: [],
    });
    const [first, second, last] = facts.steps;
    expect(first).toMatchObject({
      step: 1,
      tries: 1,
      finish_reason: 'tool_calls',
      text: 'First I look.',
      usage: USAGE,
    });
    expect(first!.first_seq).toBe(events.find(({ type }) => type === 'prompt_compiled')!.seq);
    expect(first!.last_seq + 1).toBe(second!.first_seq);
    expect(last!.last_seq).toBe(events.length);
    expect(first!.calls.map(({ name, ok, verdict }) => [name, ok, verdict?.decision])).toEqual([
      ['look', true, 'allow'],
      ['update_plan', true, 'allow'],
    ]);
    expect(second!.calls).toMatchObject([
      { name: 'act', arguments: '{"n":2}', verdict: { decision: 'ask' }, decision: 'approved', ok: true },
      { name: 'harm', verdict: { decision: 'deny' }, ok: false, error_kind: 'denied', decision: null },
      { name: 'ask_human', question_id: `${place.run_id}.q1`, ok: true },
    ]);
    expect(facts.approvals).toMatchObject([
      {
        approval_id: `${place.run_id}.a1`,
        tool: 'act',
        step: 2,
        decision: 'approved',
        decided_reason: 'fine',
        by: 'Ada',
      },
    ]);
    expect(facts.questions).toMatchObject([{ questions: [{ text: 'Which?' }], by: 'Ada' }]);
    expect(Object.values(facts.questions[0]!.answers!)).toEqual(['the first']);
  });

  it('comes in pages of steps', async () => {
    const { place } = await carried({
      script: (_, n) => (n < 6 ? call('look', { n }) : say('Done.')),
      tools: recordedTools({ look: (_, n) => `${n}` }),
    });
    const page = async (afterStep: number) => {
      const { steps, next_step, total_steps } = await factsOf(place, { afterStep, limit: 3 });
      return { steps: steps.map(({ step }) => step), next_step, total_steps };
    };
    expect(await page(0)).toEqual({ steps: [1, 2, 3], next_step: 3, total_steps: 7 });
    expect(await page(3)).toEqual({ steps: [4, 5, 6], next_step: 6, total_steps: 7 });
    expect(await page(6)).toEqual({ steps: [7], next_step: null, total_steps: 7 });
  });

  it('has a decision that was made while the run waits', async () => {
    const { place } = await carried({
      script: [call('act', {}), say('Done.')],
      tools: recordedTools({ act: () => 'done' }, { act: { hasEffects: true } }),
      policy: policyOf(() => 'ask'),
      approvals: 'later',
    });
    expect(await factsOf(place)).toMatchObject({ status: 'waiting', approvals: [{ decision: null }] });
    await decideApproval(place.workspace, `${place.run_id}.a1`, 'denied', { by: 'Ada' });
    expect(await factsOf(place)).toMatchObject({ status: 'waiting', approvals: [{ decision: 'denied', by: 'Ada' }] });
  });

  it('has child agents as a tree, with their use', async () => {
    const workspaceRoot = fs.realpathSync((await carried({ script: ['x'] })).options.workspaceRoot);
    const usage = [call('look', {}), finish('tool_calls', USAGE)];
    const tools = recordedTools({ look: () => 'seen' });
    const lead = testAgent({ script: [usage, say('Done.')], tools, workspaceRoot });
    const run = lead.agent.run('Lead.', { runId: 'lead' });
    const child = testAgent({ script: [usage, say('Done.')], tools, workspaceRoot });
    const below = child.agent.run('Help.', { runId: 'child', parent: { run, callId: 'c1' } });
    const grandchild = testAgent({ script: ['Done.'], workspaceRoot });
    const deepest = grandchild.agent.run('Help the helper.', { runId: 'deep', parent: { run: below, callId: 'c2' } });
    await Promise.all([run.result, below.result, deepest.result]);
    const place = { workspace: workspaceRoot, run_id: 'lead' };
    const reader = new AgentFacts();
    const { children, use } = await factsOf(place, { reader });
    expect(children).toMatchObject([
      {
        run_id: 'child',
        task: 'Help.',
        status: 'completed',
        steps: 2,
        call_id: 'c1',
        children: [{ run_id: 'deep', task: 'Help the helper.', call_id: 'c2', children: [] }],
      },
    ]);
    expect(use.children.tokens).toBeGreaterThanOrEqual(0);
    expect(await factsOf({ ...place, agent: 'deep' }, { reader })).toMatchObject({
      run_id: 'deep',
      parent: { run_id: 'child', call_id: 'c2' },
    });
    // A run of the same workspace that does not work for this one is none of its business.
    await expect(factsOf({ workspace: workspaceRoot, run_id: 'child', agent: 'lead' })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
  });

  it('has no text of a secret', async () => {
    const value = 'sesame-4711-open';
    const { place } = await carried(
      {
        script: [[say(`It is ${value}.`), call('look', { key: value })], say(`Done with ${value}.`)],
        tools: recordedTools({ look: () => `found ${value}` }),
        secrets: [{ name: 'TOKEN', value }],
        prompt: { system: `Never say ${value}.` },
      },
      `Use ${value}.`,
    );
    const reader = new AgentFacts();
    const facts = await factsOf(place, { reader });
    const prompts = await Promise.all(
      [1, 2].map((step) => reader.prompt(place, { step, afterMessage: -1, limit: 99 })),
    );
    const all = JSON.stringify([facts, prompts]);
    expect(all).not.toContain(value);
    expect(all).toContain('TOKEN');
    expect(prompts[0]!.messages[0]).toMatchObject({ role: 'system', is_exact: false });
  });

  it.each(['run-approvals', 'run-files', 'run-interrupted', 'run-long', 'run-troubles'])(
    'are the same read event by event and at once: %s',
    async (name) => {
      const { log, ...place } = keptRun(name);
      const whole = fs.readFileSync(log);
      const atOnce = await factsOf(place);
      expect(atOnce.problems).toEqual([]);
      fs.writeFileSync(log, '');
      const reader = new AgentFacts();
      let read = 0;
      for (let end = whole.indexOf(10); end >= 0; end = whole.indexOf(10, end + 1)) {
        // A writer may be in the middle of a line.
        const middle = read + Math.floor((end - read) / 2);
        fs.appendFileSync(log, whole.subarray(read, middle));
        await factsOf(place, { reader });
        fs.appendFileSync(log, whole.subarray(middle, end + 1));
        read = end + 1;
        await factsOf(place, { reader });
      }
      expect(await factsOf(place, { reader })).toEqual(atOnce);
    },
  );

  it('reads only what is new', async () => {
    const { log, ...place } = keptRun('run-long');
    const whole = fs.readFileSync(log);
    const half = whole.indexOf(10, whole.length / 2) + 1;
    fs.writeFileSync(log, whole.subarray(0, half));
    const reader = new AgentFacts();
    await factsOf(place, { reader });
    // What was read before is not looked at again, so that it is gone does not matter.
    const fd = fs.openSync(log, 'r+');
    fs.writeSync(fd, Buffer.alloc(half - 2000, ' '), 0, half - 2000, 0);
    fs.closeSync(fd);
    fs.appendFileSync(log, whole.subarray(half));
    expect(await factsOf(place, { reader })).toMatchObject({ status: 'completed', problems: [] });
    expect((await factsOf(place)).problems).toHaveLength(1);
  });
});

describe('a damaged log', () => {
  const change = (log: string, edit: (lines: string[]) => string[]) =>
    fs.writeFileSync(log, `${edit(fs.readFileSync(log, 'utf8').trimEnd().split('\n')).join('\n')}\n`);

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ['a changed line', (lines) => lines.map((line, at) => (at === 3 ? line.replace('"seq"', '"sEq"') : line)), /chain/],
    ['a missing line', (lines) => lines.filter((_, at) => at !== 3), /chain/],
    ['no JSON', (lines) => lines.map((line, at) => (at === 3 ? 'nonsense' : line)), /chain/],
  ])('is named with its line: %s', async (_, edit, message) => {
    const { log, ...place } = keptRun('run-files');
    change(log, edit);
    const { problems, last_seq, steps } = await factsOf(place);
    expect(problems).toEqual([{ message: expect.stringMatching(message), line: 4 }]);
    expect(last_seq).toBe(3);
    expect(steps.length).toBeLessThan(4);
  });

  it('that is written anew is read from its beginning', async () => {
    const { log, ...place } = keptRun('run-files');
    const whole = fs.readFileSync(log, 'utf8');
    const reader = new AgentFacts();
    const before = await factsOf(place, { reader });
    change(log, (lines) => lines.slice(0, 3));
    expect(await factsOf(place, { reader })).toMatchObject({ last_seq: 3, problems: [] });
    fs.rmSync(log);
    fs.writeFileSync(log, whole);
    expect(await factsOf(place, { reader })).toEqual(before);
  });

  it.each<[string, (log: string) => void]>([
    [
      'a link',
      (log) => {
        fs.renameSync(log, `${log}.other`);
        fs.symlinkSync(`${log}.other`, log);
      },
    ],
    [
      'a folder',
      (log) => {
        fs.rmSync(log);
        fs.mkdirSync(log);
      },
    ],
    ['nothing', (log) => fs.rmSync(log)],
  ])('is refused where there is %s in its place', async (_, replace) => {
    const { log, ...place } = keptRun('run-files');
    replace(log);
    await expect(factsOf(place)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  it('is not found behind a link in place of a folder', async () => {
    const { workspace, run_id } = keptRun('run-files');
    const runs = path.join(workspace, '.tacho/runs');
    fs.renameSync(runs, path.join(workspace, 'elsewhere'));
    fs.symlinkSync(path.join(workspace, 'elsewhere'), runs);
    await expect(factsOf({ workspace, run_id })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  const STARTED = {
    session_id: 's',
    workspace: '/',
    model: 'm',
    planner: null,
    tools: [],
    policy_digest: '',
    sandbox: null,
    budgets: { max_steps: null, max_wall_ms: null, max_tokens: null, max_cost_usd: null },
    settings: null,
    output_schema: null,
    parent: null,
    forked_from: null,
  };
  const started = { type: 'run_started', data: STARTED };
  const result = { ok: true, stdout: '', stderr: '', exit_code: null, duration_ms: 0, truncated: false, data: null };

  it.each<[string, unknown, RegExp]>([
    ['data of another shape', { type: 'user_message', data: { text: 7 } }, /^user_message\.text: /],
    ['no data', { type: 'run_waiting', data: null }, /^run_waiting\./],
    ['no time', { type: 'run_waiting', data: { approvals: [], questions: [] }, ts: 'soon' }, /no time/],
    [
      'a result of a call that no one made',
      {
        type: 'tool_call_finished',
        data: { step: 1, call_id: 'x', result: { ...result, error_kind: null, retryable: false } },
      },
      /does not follow from the ones before/,
    ],
  ])('that was forged with a sound chain is a problem, and not a crash: %s', async (_, event, message) => {
    const place = forgedRun('forged', [started, event as never, started]);
    expect((await factsOf(place)).problems).toEqual([{ message: expect.stringMatching(message), line: 2 }]);
  });

  it('passes over events and fields of a newer version', async () => {
    const task = { type: 'user_message', data: { text: 'Do it', origin: 'task', when: 'now', mood: 'good' } };
    const place = forgedRun('newer', [started, { type: 'sun_rose', data: { at: 6 } }, task]);
    expect(await factsOf(place)).toMatchObject({ task: 'Do it', last_seq: 3, problems: [], status: 'interrupted' });
  });

  it('cannot name itself as its child', async () => {
    const self = { run_id: 'loop', call_id: 'c', wal_locator: '' };
    const place = forgedRun('loop', [{ type: 'run_started', data: { ...STARTED, parent: self } }]);
    expect((await factsOf(place)).children).toEqual([]);
  });
});
