import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/index.ts';
import { fcmpMessageSchema, type RaspType, raspDataSchemas } from '../../src/protocol/index.ts';
import { raspData, raspEvent } from '../protocol/samples.ts';
import { ofType, RecordedRun, typesAndData } from './recorded-run.ts';

const schema = fcmpMessageSchema();

test('a run becomes one conversation', () => {
  const messages = new RecordedRun()
    .status('queued')
    .status('running', { phase: 'started' })
    .event('interaction.reply.accepted', { interaction_id: '0', text: 'Fix it', source: 'prompt' })
    .phase('init', { session_id: 's1' })
    .event('agent.message.delta', { message_id: 'm', text: 'Do' })
    .final('Done.')
    .event('lifecycle.completion.state', raspData['lifecycle.completion.state'])
    .status('succeeded', { reason_code: 'EXIT_ZERO' })
    .fold();
  expect(typesAndData(messages)).toEqual([
    ['conversation.state.changed', { from: null, to: 'queued', reason_code: 'STATUS' }],
    ['conversation.state.changed', { from: 'queued', to: 'running', reason_code: 'started' }],
    ['user.message', { text: 'Fix it', attempt: 1 }],
    ['conversation.started', { session_id: 's1' }],
    ['assistant.message.delta', { message_id: 'm', text: 'Do' }],
    ['assistant.message.final', { message_id: 'm5', text: 'Done.', format: 'markdown' }],
    ['conversation.state.changed', { from: 'running', to: 'succeeded', reason_code: 'EXIT_ZERO' }],
    ['conversation.completed', {}],
  ]);
  expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(messages.map(({ meta }) => meta.rasp_seq)).toEqual([1, 2, 3, 4, 5, 6, 8, 8]);
});

test('a message has the time, engine, confidence, correlation and bytes of its event', () => {
  const correlation = { session_id: 's', message_id: 'm', parent: 'call-7' };
  const raw_ref = [
    { attempt_number: 3, stream: 'stdout', byte_from: 10, byte_to: 20 },
    { attempt_number: 3, stream: 'stdout', byte_from: 30, byte_to: 40 },
  ];
  const source = { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.95 };
  const data = { message_id: 'm', text: 'Hi' };
  const event = raspEvent('agent.message.final', { seq: 41, attempt_number: 3, correlation, raw_ref, source, data });
  const [, message] = createConversation({ run_id: event.run_id }).push(event);
  expect(message).toEqual({
    protocol_version: 'fcmp/1.0',
    run_id: event.run_id,
    seq: 2,
    ts: event.ts,
    engine: 'codex',
    type: 'assistant.message.final',
    data: { message_id: 'm', text: 'Hi', format: 'markdown' },
    meta: { attempt: 3, confidence: 0.95, rasp_seq: 41 },
    correlation,
    raw_ref,
  });
});

test.each(Object.keys(raspDataSchemas) as RaspType[])('messages from %s are valid', (type) => {
  const messages = new RecordedRun()
    .event(type, raspData[type], { correlation: { session_id: 's' } })
    .status('failed')
    .fold();
  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) schema.parse(message);
});

test('the conversation starts once, with the first session in any event', () => {
  const messages = new RecordedRun()
    .status('running')
    .event('agent.message.delta', { message_id: 'm', text: 'Hi' }, { correlation: { session_id: 's1' } })
    .phase('init', { session_id: 's1' })
    .nextAttempt()
    .phase('init', { session_id: 's2' })
    .fold();
  const started = ofType(messages, 'conversation.started');
  expect(started.map(({ data, meta }) => [data.session_id, meta.rasp_seq])).toEqual([['s1', 2]]);
  expect(messages.map(({ type }) => type).slice(1)).toEqual(['conversation.started', 'assistant.message.delta']);
});

test('a reply answers the question and is part of the conversation; the first prompt answers no question', () => {
  const question = { interaction_id: 'q1', kind: 'confirm' as const, prompt: 'Delete it?', options: ['yes', 'no'] };
  const messages = new RecordedRun()
    .event('interaction.reply.accepted', { interaction_id: 'q0', text: 'Clean up', source: 'prompt' })
    .event('interaction.user_input.required', question)
    .nextAttempt()
    .event('interaction.reply.accepted', { interaction_id: 'q1', text: 'yes', source: 'api' })
    .fold();
  expect(typesAndData(messages)).toEqual([
    ['user.message', { text: 'Clean up', attempt: 1 }],
    ['user.input.required', question],
    ['user.input.replied', { interaction_id: 'q1', text: 'yes' }],
    ['user.message', { text: 'yes', attempt: 2 }],
  ]);
});

test('approvals, reasoning, plans and changed files are passed on', () => {
  const messages = new RecordedRun()
    .event('agent.reasoning.summary', { message_id: 'r', text: 'Thinking.' })
    .event('agent.plan.updated', { items: [{ text: 'Read', status: 'done' }] })
    .event('interaction.approval.requested', { approval_id: 'a', summary: 'rm -rf build', risk: 'high' })
    .event('interaction.approval.decided', { approval_id: 'a', decision: 'denied', by: 'me' })
    .event('artifact.created', { path: 'a', size: 1, sha256: null })
    .event('artifact.modified', { path: 'b', size: 1, sha256: null })
    .event('artifact.deleted', { path: 'c', size: null, sha256: null })
    .fold();
  expect(typesAndData(messages)).toEqual([
    ['assistant.reasoning', { text: 'Thinking.' }],
    ['assistant.plan', { items: [{ text: 'Read', status: 'done' }] }],
    ['approval.required', { approval_id: 'a', summary: 'rm -rf build', risk: 'high' }],
    ['approval.decided', { approval_id: 'a', decision: 'denied', by: 'me' }],
    ['artifact.changed', { path: 'a', change: 'created' }],
    ['artifact.changed', { path: 'b', change: 'modified' }],
    ['artifact.changed', { path: 'c', change: 'deleted' }],
  ]);
});

test('a diagnostic keeps all of its facts', () => {
  const data = { code: 'UNPARSED_CONTENT', message: 'What?', severity: 'warning' as const, fields: ['a'], line: 3 };
  const messages = new RecordedRun().event('diagnostic.parser.warning', data).fold();
  expect(typesAndData(messages)).toEqual([['diagnostic.warning', data]]);
});

test.each([
  ['{"a": [1, 2]}', 'json'],
  ['\n[1]\n', 'json'],
  ['[a link](https://example.org)', 'markdown'],
  ['```json\n{}\n```', 'markdown'],
  ['42', 'markdown'],
  ['', 'markdown'],
])('the text %j is shown as %s', (text, format) => {
  const [message] = ofType(new RecordedRun().final(text).fold(), 'assistant.message.final');
  expect(message?.data.format).toBe(format);
});

test('the end of a tool call names the message of its start', () => {
  const messages = new RecordedRun()
    .status('running')
    .event('tool.call.started', { call_id: 'a', name: 'bash', kind: 'command', arguments: { command: 'ls' } })
    .event('tool.call.started', { call_id: 'b', name: 'read', kind: 'file', arguments: { path: 'x' } })
    .event(
      'tool.call.completed',
      { call_id: 'a', name: 'bash', result: 'x\n', duration_ms: 12 },
      { correlation: { call_id: 'a', parent: 'agent-1' } },
    )
    .event('tool.call.failed', { call_id: 'b', name: 'read' })
    .event('tool.call.completed', { call_id: 'unseen', name: 'read' })
    .fold();
  const calls = ofType(messages, 'assistant.tool_call');
  expect(calls.map(({ data, correlation }) => ({ ...data, correlation }))).toEqual([
    { call_id: 'a', name: 'bash', kind: 'command', summary: 'ls', state: 'started', correlation: {} },
    { call_id: 'b', name: 'read', kind: 'file', summary: 'x', state: 'started', correlation: {} },
    {
      call_id: 'a',
      name: 'bash',
      kind: 'command',
      summary: 'ls',
      state: 'completed',
      duration_ms: 12,
      correlation: { call_id: 'a', parent: 'agent-1', started_seq: 2 },
    },
    { call_id: 'b', name: 'read', kind: 'file', summary: 'x', state: 'failed', correlation: { started_seq: 3 } },
    { call_id: 'unseen', name: 'read', summary: 'read', state: 'completed', correlation: {} },
  ]);
});

test('later updates of a running call do not change its start', () => {
  const call = { call_id: 'a', name: 'bash', kind: 'command' as const };
  const messages = new RecordedRun()
    .event('tool.call.started', { ...call, arguments: {} })
    .event('tool.call.started', { ...call, arguments: { command: 'ls' } })
    .event('tool.call.completed', { ...call, arguments: { command: 'ls -l' } })
    .fold();
  expect(ofType(messages, 'assistant.tool_call').map(({ data }) => data.summary)).toEqual(['bash', 'ls', 'ls -l']);
  expect(messages.at(-1)?.correlation).toEqual({ started_seq: 1 });
});

test('calls of another attempt are other calls, even with the same id', () => {
  const messages = new RecordedRun()
    .event('tool.call.started', { call_id: 'item_0', name: 'bash' })
    .nextAttempt()
    .event('tool.call.completed', { call_id: 'item_0', name: 'bash' })
    .fold();
  expect(messages.at(-1)?.correlation).toEqual({});
});

test('the duration is computed if an engine reports times instead', () => {
  const times = { started_at: '2026-11-15T08:00:00.100Z', ended_at: '2026-11-15T08:00:00.350Z' };
  const messages = new RecordedRun().event('tool.call.completed', { call_id: 'a', name: 'bash', ...times }).fold();
  expect(ofType(messages, 'assistant.tool_call')[0]?.data.duration_ms).toBe(250);
});
