import { describe, expect, test } from 'vitest';
import type {
  AgentAnswer,
  AgentCall,
  AgentChild,
  AgentPrompt,
  AgentStep,
  RaspEvent,
} from '../../src/protocol/index.ts';
import { agentDecisions, answeredPairs } from '../../studio/model/agent/agent-decisions.ts';
import { treeRows, wayTo } from '../../studio/model/agent/agent-tree.ts';
import { budgetBars } from '../../studio/model/agent/budget-bars.ts';
import { isGoingOn, mergeFacts, nextStepAfter } from '../../studio/model/agent/merge-facts.ts';
import { kindOf, shownPieces, toolNames } from '../../studio/model/agent/prompt-pieces.ts';
import { callState, shownArguments, stepState, stepSummary } from '../../studio/model/agent/step-summary.ts';
import { forkPoint, seqAt, stepAt, stepMs, stepOfSeq } from '../../studio/model/agent/step-times.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 18) + seconds * 1000).toISOString();
const NO_USE = { steps: 0, tokens: 0, cost_usd: null };

function aCall(changes: Partial<AgentCall> = {}): AgentCall {
  return {
    call_id: 'c1',
    name: 'look',
    arguments: '{}',
    seq: 4,
    verdict: { decision: 'allow', reason: 'it reads', rule: null },
    approval_id: null,
    decision: null,
    question_id: null,
    started_at: at(1),
    ended_at: at(2),
    finished_seq: 6,
    ok: true,
    error_kind: null,
    exit_code: null,
    duration_ms: 3,
    files: 0,
    child: null,
    ...changes,
  };
}

function aStep(step: number, changes: Partial<AgentStep> = {}): AgentStep {
  return {
    step,
    model: 'scripted:model',
    started_at: at(step * 10),
    ended_at: at(step * 10 + 5),
    first_seq: step * 10,
    last_seq: step * 10 + 9,
    tries: 1,
    finish_reason: 'stop',
    text: '',
    usage: null,
    cost_usd: null,
    prompt: { messages: 2, chars: 10, sources: [] },
    note: null,
    calls: [],
    ...changes,
  };
}

function someFacts(changes: Partial<AgentAnswer> = {}): AgentAnswer {
  return {
    run_id: 'run-1',
    workspace: '/srv/work',
    locator: '/srv/work/.tacho/runs/run-1/events.jsonl',
    status: 'running',
    held: true,
    result: null,
    task: 'Do it',
    model: 'scripted:model',
    started_at: at(0),
    updated_at: at(0),
    last_seq: 10,
    parent: null,
    forked_from: null,
    forks: [],
    resumed: 0,
    plan: null,
    budgets: { max_steps: 200, max_wall_ms: null, max_tokens: null, max_cost_usd: null },
    exhausted: null,
    use: { own: NO_USE, children: NO_USE, tree: NO_USE, active_ms: 0, usage: {} },
    steps: [],
    next_step: null,
    total_steps: 0,
    approvals: [],
    total_approvals: 0,
    questions: [],
    total_questions: 0,
    children: [],
    problems: [],
    ...changes,
  };
}

describe('facts of an agent', () => {
  test('grow by pages, and the newest step is loaded again', () => {
    const first = mergeFacts(null, someFacts({ steps: [aStep(1), aStep(2)], next_step: 2, total_steps: 3 }));
    const all = mergeFacts(first, someFacts({ steps: [aStep(3, { text: 'One' })], last_seq: 11 }));
    expect(all.steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(nextStepAfter(all)).toBe(2);
    const more = mergeFacts(all, someFacts({ steps: [aStep(3, { text: 'One two' }), aStep(4)], last_seq: 20 }));
    expect(more.steps.map(({ step, text }) => `${step}${text}`)).toEqual(['1', '2', '3One two', '4']);
    expect(mergeFacts(more, someFacts({ steps: [], last_seq: 20, task: 'Other' }))).toMatchObject({
      task: 'Other',
      steps: more.steps,
    });
    expect(nextStepAfter(null)).toBe(0);
  });

  test('begin anew for another agent, and for a log that was written anew', () => {
    const known = mergeFacts(null, someFacts({ steps: [aStep(1), aStep(2)], last_seq: 40 }));
    expect(mergeFacts(known, someFacts({ run_id: 'run-2', last_seq: 50, steps: [aStep(1)] })).steps).toHaveLength(1);
    expect(mergeFacts(known, someFacts({ last_seq: 5, steps: [aStep(1)] })).steps).toHaveLength(1);
  });

  test('are expected to change while the agent or one below it works', () => {
    const ended = someFacts({ status: 'completed', held: false });
    const child = { run_id: 'a', status: 'completed', children: [] } as unknown as AgentChild;
    expect(isGoingOn(ended)).toBe(false);
    expect(isGoingOn({ ...ended, held: true })).toBe(true);
    expect(isGoingOn({ ...ended, children: [child] })).toBe(false);
    const deep = { ...child, children: [{ ...child, status: 'running' as const }] };
    expect(isGoingOn({ ...ended, children: [deep] })).toBe(true);
  });
});

describe('budgets', () => {
  test('have shares of the agent and of its children, at most the whole', () => {
    const budgets = { max_steps: 10, max_wall_ms: 60_000, max_tokens: null, max_cost_usd: 1 };
    const use = {
      own: { steps: 4, tokens: 100, cost_usd: 0.5 },
      children: { steps: 2, tokens: 50, cost_usd: 0.75 },
      tree: NO_USE,
      active_ms: 15_000,
      usage: {},
    };
    expect(budgetBars({ budgets, use })).toEqual([
      { name: 'steps', own: 4, children: 2, used: 6, limit: 10, ownShare: 0.4, childrenShare: 0.2 },
      { name: 'time', own: 15_000, children: 0, used: 15_000, limit: 60_000, ownShare: 0.25, childrenShare: 0 },
      { name: 'tokens', own: 100, children: 50, used: 150, limit: null, ownShare: 0, childrenShare: 0 },
      { name: 'cost', own: 0.5, children: 0.75, used: 1.25, limit: 1, ownShare: 0.5, childrenShare: 0.5 },
    ]);
    expect(budgetBars(someFacts()).map(({ name }) => name)).toEqual(['steps', 'time', 'tokens']);
  });
});

describe('steps', () => {
  const events = [0, 10, 10, 21].map((seconds, index) => ({ seq: index + 1, ts: at(seconds) }) as RaspEvent);
  const steps = [aStep(1), aStep(2)];

  test('are found by time and by event, and have an event of the run', () => {
    expect(seqAt(events, at(10))).toBe(2);
    expect(seqAt(events, at(11))).toBe(4);
    expect(seqAt(events, at(99))).toBe(4);
    expect(seqAt([], at(1))).toBe(null);
    expect(stepAt(steps, Date.parse(at(9)))).toBe(null);
    expect(stepAt(steps, Date.parse(at(19)))).toBe(1);
    expect(stepAt(steps, Date.parse(at(500)))).toBe(2);
    expect(stepOfSeq(steps, 9)).toBe(null);
    expect(stepOfSeq(steps, 25)).toBe(2);
    expect(stepMs(aStep(1))).toBe(5000);
    expect(forkPoint(aStep(2))).toBe(19);
    expect(forkPoint(aStep(1, { first_seq: 1 }))).toBe(1);
  });

  test('have a line about their calls, or about the answer', () => {
    expect(stepSummary({ calls: [], text: ' All\n is  done. ' })).toBe('All is done.');
    const calls = [aCall(), aCall({ name: 'write' }), aCall()];
    expect(stepSummary({ calls, text: 'I look.' })).toBe('look ×2, write');
  });

  test('show contents that are not logged without their digests', () => {
    const given = JSON.stringify({ path: 'a.txt', content: 'ab'.repeat(32) });
    expect(shownArguments({ arguments: given })).toBe('{"path":"a.txt","content":"…"}');
  });

  test.each<[string, Partial<AgentCall>]>([
    ['ok', {}],
    ['failed', { ok: false, error_kind: 'exit_code' }],
    ['denied', { ok: false, error_kind: 'denied' }],
    ['waiting', { ok: null, started_at: null, approval_id: 'a1' }],
    ['waiting', { ok: null, started_at: null, question_id: 'q1' }],
    ['running', { ok: null }],
    ['running', { ok: null, approval_id: 'a1', decision: 'approved' }],
    ['requested', { ok: null, started_at: null }],
  ])('a call is %s', (state, changes) => {
    expect(callState(aCall(changes))).toBe(state);
  });

  test('have the state of the call that needs most attention', () => {
    const done = aCall();
    expect(stepState({ calls: [done], finish_reason: 'tool_calls' })).toBe('ok');
    expect(stepState({ calls: [], finish_reason: null })).toBe('running');
    const failed = aCall({ ok: false, error_kind: 'exit_code' });
    const waiting = aCall({ ok: null, started_at: null, approval_id: 'a1' });
    expect(stepState({ calls: [done, failed, waiting], finish_reason: 'tool_calls' })).toBe('waiting');
    expect(stepState({ calls: [done, failed], finish_reason: 'tool_calls' })).toBe('failed');
  });
});

describe('the prompt', () => {
  type Message = AgentPrompt['messages'][number];
  const message = (changes: Partial<Message>): Message => ({
    index: 0,
    role: 'system',
    seq: 3,
    pieces: [],
    is_exact: true,
    parts: [],
    ...changes,
  });
  const pieces = [
    { source: 'template:coding', from: 0, to: 4, digest: 'd1' },
    { source: 'separator', from: 4, to: 5, digest: 'd2' },
    { source: 'config:prompt.developer', from: 5, to: 9, digest: 'd3' },
  ];
  const part = { kind: 'text' as const, name: null, call_id: null, text: 'Work\nBe b', chars: 9 };

  test('is cut where its sources change', () => {
    expect(
      shownPieces(message({ pieces, parts: [part] })).map(({ text, source, digest }) => [text, source, digest]),
    ).toEqual([
      ['Work', 'template:coding', 'd1'],
      ['\n', 'separator', 'd2'],
      ['Be b', 'config:prompt.developer', 'd3'],
    ]);
  });

  test('is one piece with all names where the offsets do not fit', () => {
    const masked = message({ pieces, parts: [{ ...part, text: '[secret TOKEN] b', chars: 16 }], is_exact: false });
    expect(shownPieces(masked)).toMatchObject([
      { source: 'template:coding + config:prompt.developer', digest: null, text: '[secret TOKEN] b' },
    ]);
  });

  test('has one piece for each call and result, with the name of its tool', () => {
    const call = { kind: 'tool_call' as const, name: 'look', call_id: 'c1', text: '{}', chars: 2 };
    const answer = message({
      role: 'assistant',
      pieces: [{ source: 'step:1', from: 0, to: 9, digest: 'd' }],
      parts: [{ ...part, kind: 'reasoning' }, call],
    });
    expect(shownPieces(answer)).toMatchObject([
      { isReasoning: true, tool: null, kind: 'model' },
      { isReasoning: false, tool: 'look', kind: 'model', source: 'step:1' },
    ]);
    expect([...toolNames([answer])]).toEqual([['c1', 'look']]);
  });

  test.each([
    ['template:coding', 'instructions'],
    ['config:prompt.developer ← config.yaml:3:3', 'instructions'],
    ['skills:list', 'skill'],
    ['skill:$[user].review', 'skill'],
    ['task', 'task'],
    ['send', 'task'],
    ['step:3', 'model'],
    ['tools:3', 'tool'],
    ['summary', 'notice'],
  ])('%s is a source of the kind %s', (source, kind) => {
    expect(kindOf(source)).toBe(kind);
  });
});

describe('decisions', () => {
  const approval = {
    approval_id: 'a1',
    agent: 'run-1',
    call_id: 'c1',
    tool: 'act',
    summary: 'act',
    reason: 'asked',
    step: 1,
    seq: 5,
    requested_at: at(1),
    decision: 'approved' as const,
    decided_at: at(2),
    decided_reason: null,
    by: 'Ada',
  };
  const question = {
    question_id: 'q1',
    agent: 'run-1',
    call_id: 'c2',
    questions: [
      { id: 'color', text: 'Which color?', choices: [], allow_other: true },
      { id: 'name', text: 'Which name?', choices: [], allow_other: true },
    ],
    step: 2,
    seq: 9,
    asked_at: at(5),
    answers: { color: 'red' },
    answered_at: at(6),
    by: 'Ada',
  };

  test('that are open come first, then the newest', () => {
    const open = { ...approval, approval_id: 'a2', decision: null, requested_at: at(0) };
    const listed = agentDecisions({ approvals: [approval, open], questions: [question] });
    expect(listed.map(({ id, isOpen }) => [id, isOpen])).toEqual([
      ['a2', true],
      ['q1', false],
      ['a1', false],
    ]);
  });

  test('have answers beside their questions', () => {
    expect(answeredPairs(question)).toEqual([
      { text: 'Which color?', answer: 'red' },
      { text: 'Which name?', answer: null },
    ]);
  });
});

test('child agents are rows below the one that started them, with the way to each', () => {
  const child = (run_id: string, children: AgentChild[] = []) => ({ run_id, children }) as AgentChild;
  const children = [child('a', [child('b', [child('c')])]), child('d')];
  expect(treeRows(children).map(({ child: { run_id }, depth }) => `${depth}${run_id}`)).toEqual([
    '0a',
    '1b',
    '2c',
    '0d',
  ]);
  expect(wayTo(children, 'c')).toEqual(['a', 'b', 'c']);
  expect(wayTo(children, 'd')).toEqual(['d']);
  expect(wayTo(children, 'x')).toEqual([]);
});
