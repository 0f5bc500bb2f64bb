import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DATA_FIELDS } from '../../src/engines/agent/fields.ts';
import { createAgentParser } from '../../src/engines/agent/parser.ts';
import { agent } from '../../src/engines/agent/profile.ts';
import { agentEventDataSchemas, type RaspDraft } from '../../src/protocol/index.ts';
import { EndObserver } from '../../src/runs/completion/end-evidence.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { GOLDEN_AGENTS } from '../support/golden-agents.ts';
import { projectRoot } from '../support/tacho.ts';
import { parserContext, readLogs, summarize } from './read-log.ts';

const parser = (attempt = 1) => createAgentParser(parserContext('agent', { attempt }));
const ofType = (drafts: readonly RaspDraft[], type: string) => drafts.filter(({ event }) => event.type === type);
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  ofType(drafts, type).map(({ data }) => data as Record<string, unknown>);
const phases = (drafts: readonly RaspDraft[]) =>
  dataOf(drafts, 'lifecycle.run.status').map(({ phase }) => String(phase));

function capture(name: string, attempt = 1) {
  const { folder } = listFixtures().find((fixture) => fixture.engine === 'agent' && fixture.name === name)!;
  const logs = { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') };
  return readLogs(parser(attempt), logs);
}

let seq = 0;
const RUN = 'run-1111222233334444';
function line(type: string, data: object, more: object = {}): string {
  seq++;
  const ts = '2026-11-18T10:00:00.000Z';
  return `${JSON.stringify({ protocol_version: 'agent/1.0', run_id: RUN, seq, ts, type, data, chain: 'c', ...more })}\n`;
}
const begun = () => line('run_started', { workspace: '/work', model: 'scripted:x' });
const read = (...lines: string[]) => readLogs(parser(), { stdout: lines.join('') });

describe('the log of an agent', () => {
  test('names the session, the model and the phases of its work', () => {
    const drafts = capture('done');
    expect(dataOf(drafts, 'lifecycle.run.status')[0]).toMatchObject({
      phase: 'run_started',
      session_id: 'run-ba9d2b8d1463e26f',
      model: 'scripted:script.json',
    });
    expect(phases(drafts).at(-1)).toBe('run_completed');
  });

  test('has thoughts before what is said next, and messages in pieces that make up the whole', () => {
    const drafts = capture('done');
    const spoken = drafts.filter(({ event }) => event.category === 'agent').map(({ event }) => event.type);
    expect(spoken.slice(0, 3)).toEqual(['agent.reasoning.summary', 'agent.message.delta', 'agent.message.final']);
    const said = new Map<unknown, string>();
    for (const { message_id, text } of dataOf(drafts, 'agent.message.delta')) {
      said.set(message_id, (said.get(message_id) ?? '') + text);
    }
    expect([...said]).toEqual(dataOf(drafts, 'agent.message.final').map(({ message_id, text }) => [message_id, text]));
  });

  test('has calls with arguments, result, exit code and duration, and the plan', () => {
    const drafts = capture('done');
    expect(dataOf(drafts, 'tool.call.failed')).toEqual([
      {
        call_id: '1.2.call_2_2',
        name: 'shell_command',
        kind: 'command',
        arguments: { command: 'cat missing.txt' },
        result: 'cat: missing.txt: No such file or directory\n',
        exit_code: 1,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(dataOf(drafts, 'agent.plan.updated')).toEqual([
      {
        items: [
          { text: 'Look around', status: 'in_progress' },
          { text: 'Write the report', status: 'pending' },
        ],
      },
    ]);
  });

  test('asks for an approval with everything that a decision needs', () => {
    const drafts = capture('approved');
    const [requested] = ofType(drafts, 'interaction.approval.requested');
    const run_id = 'run-34321b901bf73407';
    expect(requested).toMatchObject({
      data: {
        approval_id: `${run_id}.a1`,
        summary: 'npm test',
        agent: { workspace: '/srv/run/work', run_id },
        tool: 'shell_command',
        arguments: { command: 'npm test' },
        actions: [{ kind: 'shell', line: 'npm test', cwd: '/srv/run/work' }],
        suggested_rule: { decision: 'allow', command: ['npm', 'test'], match: ['npm test'] },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      correlation: { interaction_id: `${run_id}.a1`, call_id: '1.1.call_1_1' },
    });
    expect(dataOf(drafts, 'interaction.approval.decided')).toMatchObject([
      { approval_id: `${run_id}.a1`, decision: 'approved_with_rule', by: 'user' },
    ]);
    // The call starts when it may.
    const order = drafts.map(({ event }) => event.type).filter((type) => /approval|tool\.call/.test(type));
    expect(order).toEqual([
      'interaction.approval.requested',
      'interaction.approval.decided',
      'tool.call.started',
      'tool.call.failed',
    ]);
  });

  test('asks a question with its choices, and says where the answer goes', () => {
    const [asked] = dataOf(capture('ask-turn1', 3), 'interaction.user_input.required');
    const question_id = 'run-f78ec9d8265818c8.q1';
    expect(asked).toEqual({
      interaction_id: `3.${question_id}`,
      kind: 'form',
      prompt: 'Which colour do you want?\nWhich name?',
      questions: [
        {
          id: 'colour',
          text: 'Which colour do you want?',
          choices: [
            { value: 'red', description: null },
            { value: 'blue', description: 'like the sea' },
          ],
          allow_other: false,
        },
        {
          id: 'name',
          text: 'Which name?',
          choices: [
            { value: 'Ada', description: null },
            { value: 'Bob', description: null },
          ],
          allow_other: true,
        },
      ],
      agent: { workspace: '/srv/run/work', run_id: 'run-f78ec9d8265818c8', question_id },
    });
  });

  test('does not repeat the answer that began the attempt', () => {
    const drafts = capture('ask-turn2', 2);
    expect(ofType(drafts, 'interaction.reply.accepted')).toEqual([]);
    expect(phases(drafts)).toContain('question_answered');
    expect(summarize(drafts).tools).toEqual([{ name: 'request_user_input', kind: 'other', state: 'completed' }]);
  });

  test('says again what a continued run still waits for', () => {
    const drafts = capture('still-suspended', 2);
    expect(dataOf(drafts, 'interaction.approval.requested')).toMatchObject([{ summary: 'npm test' }]);
    expect(phases(drafts).at(-1)).toBe('run_waiting.approval');
  });

  test('tells why a request to the model failed, and when it is repeated', () => {
    expect(dataOf(capture('refused'), 'diagnostic.engine.error')).toMatchObject([
      {
        code: 'ENGINE_RETRY',
        severity: 'warning',
        error_class: 'network',
        attempt: 1,
        retry_delay_ms: expect.any(Number),
      },
      { code: 'ENGINE_ERROR', severity: 'error', error_class: 'network', attempt: 2 },
      { code: 'ENGINE_ERROR', severity: 'error', reason: 'model_error' },
    ]);
  });
});

describe('child agents', () => {
  test('have everything they do below the call that started them', () => {
    const drafts = capture('made-children');
    const parents = (type: string) => ofType(drafts, type).map(({ correlation }) => correlation.parent ?? null);
    expect(parents('agent.message.final')).toEqual([null, '1.1.call_1', '1.1.call_1', null]);
    expect(parents('tool.call.started')).toEqual([null, '1.1.call_1']);
    expect(parents('interaction.approval.requested')).toEqual(['1.1.call_1']);
    expect(dataOf(drafts, 'interaction.approval.requested')).toMatchObject([
      { agent: { workspace: '/srv/run/work', run_id: 'run-aaaaaaaaaaaaaaaa-c1d2e3f4a' } },
    ]);
  });

  test('do not end the turn of the session, or keep the run waiting', () => {
    const drafts = capture('made-children');
    expect(phases(drafts)).toContain('child.run_completed');
    const child = { run_id: 'run-child' };
    const asked = {
      approval_id: 'run-child.a1',
      summary: 'x',
    };
    const stopped = read(
      begun(),
      line(
        'run_started',
        { workspace: '/work', model: 'm', parent: { run_id: RUN, call_id: 'c' } },
        { ...child, seq: 1 },
      ),
      line('approval_requested', asked, { ...child, seq: 2 }),
      line('run_waiting', { approvals: ['run-child.a1'], questions: [] }, { ...child, seq: 3 }),
    );
    const observer = new EndObserver(agent);
    observer.observe(stopped);
    expect(observer.evidence).toMatchObject({ waiting: null, terminal: null, question: null });
    expect(observer.evidence.openApprovals.size).toBe(0);
  });

  test('count in the usage of the attempt, once, even if lines are printed again', () => {
    expect(summarize(capture('made-children')).usage).toEqual({
      input_tokens: 400,
      output_tokens: 80,
      total_tokens: 480,
      cost_usd: 0.004,
    });
  });
});

describe('what an agent waits with', () => {
  const waiting = (approvals: string[], questions: string[]) =>
    phases(read(begun(), line('run_waiting', { approvals, questions }))).at(-1);

  test('is a question before an approval, and nothing for an agent that was closed', () => {
    expect(waiting(['a'], ['q'])).toBe('run_waiting.question');
    expect(waiting(['a'], [])).toBe('run_waiting.approval');
    expect(waiting([], [])).toBe('run_waiting.nothing');
  });
});

test('a question that is answered in the same attempt has its reply', () => {
  const questions = [{ id: 'answer', text: 'Why?', choices: [], allow_other: true }];
  const drafts = read(
    begun(),
    line('question_asked', { question_id: `${RUN}.q1`, run_id: RUN, call_id: 'c', questions }),
    line('question_answered', { question_id: `${RUN}.q1`, answers: { answer: 'Because.' }, by: 'terminal' }),
  );
  expect(dataOf(drafts, 'interaction.reply.accepted')).toEqual([
    { interaction_id: `1.${RUN}.q1`, text: 'Because.', answers: { answer: 'Because.' }, source: 'reply' },
  ]);
});

test('what a failed request had said is not part of the next message', () => {
  const delta = (text: string) => line('llm_response_delta', { step: 1, part: 0, kind: 'text', text });
  const drafts = read(
    begun(),
    line('llm_request_started', { step: 1, try: 1 }),
    delta('Hel'),
    line('llm_request_failed', {
      step: 1,
      try: 1,
      error: { kind: 'network', status: null, message: 'connection reset' },
      retry: { delay_ms: 5, random: 0 },
    }),
    line('llm_request_started', { step: 1, try: 2 }),
    delta('Hello.'),
    line('llm_response_completed', { step: 1, parts: [{ type: 'text', text: 'Hello.' }], usage: null, cost_usd: null }),
  );
  const said = dataOf(drafts, 'agent.message.delta').map(({ message_id, text }) => [message_id, text]);
  expect(said).toEqual([
    ['1.1.1.0', 'Hel'],
    ['1.1.2.0', 'Hello.'],
  ]);
  expect(dataOf(drafts, 'agent.message.final')).toMatchObject([{ message_id: '1.1.2.0' }]);
});

test('a prompt too long for the model is not an error of the run', () => {
  const drafts = read(
    begun(),
    line('llm_request_failed', {
      step: 1,
      try: 1,
      error: { kind: 'context_overflow', status: 400, message: 'prompt is too long' },
      retry: null,
    }),
  );
  expect(dataOf(drafts, 'diagnostic.engine.error')).toMatchObject([{ error_class: 'context', severity: 'warning' }]);
});

test('what is not understood is kept as raw output and reported; the rest of the line is read', () => {
  const parts = [
    { type: 'text', text: 'Hello.' },
    { type: 'picture', url: 'x' },
  ];
  const drafts = read(
    line('run_started', { workspace: '/work', model: 'm', mood: 'good' }, { colour: 'red' }),
    line('thought_stored', { text: 'of a later version' }),
    line('llm_response_completed', { step: 1, parts, usage: null, cost_usd: null }),
    line('tool_call_finished', { step: 1, result: {} }),
    line('run_waiting', {}),
    line('run_completed', {}).slice(0, -20),
    '\n',
    line('run_completed', 'done' as never),
    line('run_completed', {}),
  );
  expect(dataOf(drafts, 'diagnostic.parser.warning').map(({ event_type, problem }) => [event_type, problem])).toEqual([
    ['run_started', 'unknown fields'],
    ['thought_stored', 'unknown type'],
    ['llm_response_completed', 'unexpected shape'],
    ['tool_call_finished', 'unexpected shape'],
    ['run_waiting', 'unexpected shape'],
    [undefined, 'not JSON'],
    ['run_completed', 'unexpected shape'],
  ]);
  expect(summarize(drafts)).toMatchObject({ session_id: RUN, final_messages: ['Hello.'] });
  expect(phases(drafts).at(-1)).toBe('run_completed');
});

test('a line of another format, or of a later version of it, is kept as it is', () => {
  for (const protocol_version of ['rasp/1.0', 'agent/2.0', 7]) {
    const drafts = read(line('run_started', { workspace: '/work', model: 'm' }, { protocol_version }));
    expect(drafts.map(({ event }) => event.type)).toEqual(['raw.stdout', 'diagnostic.parser.warning']);
  }
});

test('every event of the log, and every member of its data, is known', () => {
  for (const [type, schema] of Object.entries(agentEventDataSchemas)) {
    const { properties = {} } = z.toJSONSchema(schema as z.ZodType, { io: 'input' });
    expect([...(DATA_FIELDS[type] ?? [])], type).toEqual(expect.arrayContaining(Object.keys(properties)));
  }
});

test.each(Object.keys(GOLDEN_AGENTS))('the log of %s is read without a warning', (name) => {
  const log = fs.readFileSync(path.join(projectRoot, 'test/fixtures/agent', name, 'events.jsonl'));
  const drafts = readLogs(parser(), { stdout: log });
  expect(ofType(drafts, 'diagnostic.parser.warning')).toEqual([]);
  expect(drafts.filter(({ event }) => event.category === 'raw')).toEqual([]);
});
