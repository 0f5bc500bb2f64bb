import { describe, expect, test } from 'vitest';
import { createClaudeParser } from '../../src/engines/claude/parser.ts';
import { claude } from '../../src/engines/claude/profile.ts';
import type { ParserContext, RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { coveredBytes, linesWithout, parserContext, readChunks, readLogs, summarize, TIME } from './read-log.ts';
import { describeLaws, lines } from './stream-json-laws.ts';

const parser = (more: Partial<ParserContext> = {}) => createClaudeParser(parserContext('claude', more));
const read = (...events: unknown[]) => readLogs(parser(), { stdout: lines(...events) });
const typesOf = (drafts: readonly RaspDraft[]) => drafts.map(({ event }) => event.type);
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  drafts.filter(({ event }) => event.type === type).map(({ data }) => data);
const phasesOf = (drafts: readonly RaspDraft[]) =>
  dataOf(drafts, 'lifecycle.run.status').map((data) => (data as { phase: string }).phase);

const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] };
const assistant = (content: unknown, more = {}) => ({
  type: 'assistant',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [content], usage: {} },
  parent_tool_use_id: null,
  session_id: 's',
  ...more,
});
const say = (text: string, more = {}) => assistant({ type: 'text', text }, more);
const call = (id: string, name: string, input: unknown, more = {}) =>
  assistant({ type: 'tool_use', id, name, input }, more);
const ended = (id: string, content: unknown, block = {}, more = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...block }] },
  parent_tool_use_id: null,
  session_id: 's',
  ...more,
});
const result = (more = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: '',
  session_id: 's',
  usage: { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 4 },
  total_cost_usd: 0.5,
  permission_denials: [],
  ...more,
});
const piece = (event: unknown, more = {}) => ({ type: 'stream_event', event, parent_tool_use_id: null, ...more });
const textPiece = (text: string) =>
  piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

describe('claude', () => {
  describeLaws('claude', createClaudeParser);

  test('several texts of one message have ids of their own', () => {
    const drafts = read(init, say('one'), say('two'));
    expect(dataOf(drafts, 'agent.message.final')).toEqual([
      { message_id: 'msg_1', text: 'one' },
      { message_id: 'msg_1.2', text: 'two' },
    ]);
  });

  test('pieces of a text have the id of the whole, and come at most every 100 ms of byte time', () => {
    const start = piece({ type: 'message_start', message: { id: 'msg_1', content: [] } });
    const block = piece({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const stop = piece({ type: 'content_block_stop', index: 0 });
    const events = [init, start, block, textPiece('He'), textPiece('llo'), textPiece('!'), say('Hello!'), stop];
    const drafts = readChunks(
      parser(),
      events.map((event, index) => ({ stream: 'stdout', bytes: Buffer.from(lines(event)), time: TIME + index * 60 })),
    );
    expect(dataOf(drafts, 'agent.message.delta')).toEqual([
      { message_id: 'msg_1', text: 'Hello' },
      { message_id: 'msg_1', text: '!' },
    ]);
    expect(dataOf(drafts, 'agent.message.final')).toEqual([{ message_id: 'msg_1', text: 'Hello!' }]);
    expect(summarize(drafts).warnings).toEqual([]);
  });

  test('signs of life without content become one status event a second', () => {
    const tokens = { type: 'system', subtype: 'thinking_tokens', estimated_tokens: 1, session_id: 's' };
    const thought = piece({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'x' } });
    const events = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? tokens : thought));
    const chunks = [init, ...events].map((event, index) => ({
      stream: 'stdout' as const,
      bytes: Buffer.from(lines(event)),
      time: TIME + index * 50,
    }));
    const drafts = readChunks(parser(), chunks);
    expect(phasesOf(drafts)).toEqual(['init', 'system.thinking_tokens', 'stream_event.content_block_delta']);
    expect(coveredBytes(drafts)).toBe(chunks.reduce((sum, { bytes }) => sum + bytes.length, 0));
  });

  test('what a sub-agent does is tied to the call that started it', () => {
    const inside = { parent_tool_use_id: 'a' };
    const drafts = read(
      init,
      call('a', 'Task', { prompt: 'look' }),
      { ...ended('a', ''), ...inside, message: { role: 'user', content: [{ type: 'text', text: 'look' }] } },
      say('looking', inside),
      call('b', 'Bash', { command: 'ls' }, inside),
      ended('b', 'file', {}, inside),
      ended('a', 'seen', {}, { tool_use_result: { totalDurationMs: 93 }, timestamp: '2026-11-15T08:00:01.000Z' }),
    );
    const parents = drafts.filter(({ correlation }) => correlation.parent === 'a');
    expect(typesOf(parents)).toEqual(['agent.message.final', 'tool.call.started', 'tool.call.completed']);
    expect(phasesOf(drafts)).toEqual(['init', 'user']);
    expect(drafts.at(-1)).toMatchObject({
      data: { call_id: 'a', name: 'Task', kind: 'agent', duration_ms: 93, ended_at: '2026-11-15T08:00:01.000Z' },
    });
  });

  test('a failed call tells its exit code; one without a word of failure has succeeded', () => {
    const drafts = read(
      call('a', 'Bash', {}),
      call('b', 'mcp__docs__find', {}),
      call('c', 'Grep', {}),
      ended('a', 'Exit code 3\nno', { is_error: true }),
      ended('b', [{ type: 'text', text: 'found' }]),
      ended('c', 'bad pattern', { is_error: true }),
    );
    expect(summarize(drafts).tools).toEqual([
      { name: 'Bash', kind: 'command', state: 'failed' },
      { name: 'mcp__docs__find', kind: 'mcp', state: 'completed' },
      { name: 'Grep', kind: 'search', state: 'failed' },
    ]);
    expect(dataOf(drafts, 'tool.call.failed')[0]).toMatchObject({ exit_code: 3, result: 'Exit code 3\nno' });
  });

  test('a result whose call was never printed gets a start of its own', () => {
    expect(typesOf(read(ended('x', 'late')))).toEqual([
      'lifecycle.run.status',
      'tool.call.started',
      'tool.call.completed',
    ]);
  });

  test('tools of the model service begin and end within the message', () => {
    const drafts = read(
      assistant({ type: 'server_tool_use', id: 'w', name: 'web_search', input: { query: 'pty' } }),
      assistant({
        type: 'web_search_tool_result',
        tool_use_id: 'w',
        content: { type: 'web_search_tool_result_error' },
      }),
    );
    expect(summarize(drafts).tools).toEqual([{ name: 'web_search', kind: 'search', state: 'failed' }]);
  });

  test('a plan is told from the whole list, and from tasks made and changed one by one', () => {
    const todos = [{ content: 'look', status: 'completed', activeForm: 'Looking' }, { content: 'act' }];
    const drafts = read(
      call('a', 'TodoWrite', { todos }),
      call('b', 'TaskCreate', { subject: 'look' }),
      ended('b', 'ok', {}, { tool_use_result: { task: { id: '1', subject: 'look' } } }),
      call('c', 'TaskUpdate', { taskId: '1', status: 'in_progress' }),
      ended('c', 'ok', {}, { tool_use_result: { success: true } }),
      call('d', 'TaskUpdate', { taskId: '1', status: 'deleted' }),
      ended('d', 'ok'),
    );
    expect(dataOf(drafts, 'agent.plan.updated')).toEqual([
      { items: [{ text: 'look', status: 'completed' }, { text: 'act' }] },
      { items: [{ text: 'look', status: 'pending' }] },
      { items: [{ text: 'look', status: 'in_progress' }] },
      { items: [] },
    ]);
  });

  test('a result that repeats what was said is no second message; one that does not is one', () => {
    expect(summarize(read(init, say('done'), result({ result: 'done' }))).final_messages).toEqual(['done']);
    expect(summarize(read(init, result({ result: '{"a":1}' }))).final_messages).toEqual(['{"a":1}']);
    expect(summarize(read(init, result({ result: '  \n' }))).final_messages).toEqual([]);
  });

  test('usage and cost are told in the words of the protocol, over all turns of an invocation', () => {
    const drafts = read(init, result(), init, result({ total_cost_usd: 0.7 }));
    expect(phasesOf(drafts)).toEqual(['init', 'result', 'init', 'result']);
    expect(summarize(drafts).usage).toEqual({
      input_tokens: 20,
      output_tokens: 4,
      cached_input_tokens: 8,
      total_tokens: 32,
      cost_usd: 0.7,
    });
  });

  test.each([
    ['a failed request', { is_error: true, api_error_status: 429, result: 'slow down' }, 'ENGINE_RATE_LIMITED'],
    ['too many turns', { subtype: 'error_max_turns', is_error: true, errors: ['Reached 2'] }, 'ENGINE_ERROR'],
    [
      'an error that does not say it is one',
      { subtype: 'error_during_execution', is_error: undefined },
      'ENGINE_ERROR',
    ],
  ])('%s is a failure, whatever else the result says', (_title, more, code) => {
    const drafts = read(init, result(more));
    expect(summarize(drafts)).toMatchObject({ errors: [code], final_messages: [] });
    expect(phasesOf(drafts)).toEqual(['init', 'result.error']);
    expect(claude.signals.failed).toContain('result.error');
  });

  test('an interrupted run keeps what was said and is a failure', () => {
    const interrupted = { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] };
    const drafts = read(
      init,
      say('half a sen'),
      { type: 'user', message: interrupted, parent_tool_use_id: null },
      result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming', errors: [] }),
    );
    expect(summarize(drafts)).toMatchObject({ final_messages: ['half a sen'], errors: ['ENGINE_ERROR'] });
    expect(phasesOf(drafts).at(-1)).toBe('result.error');
  });

  test('an error in the name of the assistant is told once, by the result, or at the end without one', () => {
    const message = {
      id: 'x',
      role: 'assistant',
      model: '<synthetic>',
      content: [{ type: 'text', text: 'Not today' }],
    };
    const synthetic = { type: 'assistant', message, parent_tool_use_id: null, error: 'rate_limit' };
    const whole = read(init, synthetic, result({ is_error: true, api_error_status: 429, result: 'Not today' }));
    expect(dataOf(whole, 'diagnostic.engine.error')).toHaveLength(1);
    expect(phasesOf(whole)).toEqual(['init', 'assistant.synthetic', 'result.error']);
    const cut = read(init, synthetic);
    expect(summarize(cut)).toMatchObject({ final_messages: [], errors: ['ENGINE_RATE_LIMITED'] });
    expect(dataOf(cut, 'diagnostic.engine.error')).toMatchObject([{ message: 'Not today' }]);
  });

  test('refused permissions are told, and are not the end', () => {
    const denials = [{ tool_name: 'Bash', tool_use_id: 'a', tool_input: { command: 'ls' } }];
    const drafts = read(init, say('no'), result({ result: 'no', permission_denials: denials }));
    expect(dataOf(drafts, 'diagnostic.engine.error')).toMatchObject([
      { code: 'ENGINE_PERMISSION_REJECTED', severity: 'error', denials },
    ]);
    expect(phasesOf(drafts)).toEqual(['init', 'result']);
  });

  test('a retry carries what the engine knows of it', () => {
    const retry = { attempt: 2, max_retries: 3, retry_delay_ms: 500.5 };
    const cause = { error: 'overloaded', error_status: 529 };
    const drafts = read(init, { type: 'system', subtype: 'api_retry', session_id: 's', ...retry, ...cause });
    expect(drafts.at(-1)!.data).toEqual({
      code: 'ENGINE_RETRY',
      message: 'overloaded',
      severity: 'warning',
      ...retry,
      error_class: 'server',
      status_code: 529,
    });
  });

  test('the session is known from any event, but not from a result that found none', () => {
    const hook = { type: 'system', subtype: 'hook_started', hook_id: 'h', session_id: 's' };
    expect(summarize(read(hook)).session_id).toBe('s');
    const refused = result({ subtype: 'error_during_execution', is_error: true, session_id: 'gone' });
    expect(summarize(read(refused)).session_id).toBeNull();
  });

  test('hidden thoughts are covered, and are no messages', () => {
    const drafts = read(
      init,
      assistant({ type: 'redacted_thinking', data: 'AAAA' }),
      assistant({ type: 'thinking', thinking: '', signature: 'x' }),
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' }, session_id: 's' },
    );
    expect(phasesOf(drafts)).toEqual(['init', 'assistant.redacted_thinking', 'assistant.thinking', 'rate_limit_event']);
    expect(summarize(drafts)).toMatchObject({ reasoning: [], warnings: [] });
  });

  test('unknown events and blocks are kept as raw, an unknown field is not; warnings name all of them', () => {
    const stdout = lines(
      { type: 'hologram' },
      { type: 'system', subtype: 'dream' },
      assistant({ type: 'painting' }),
      say('kept', { mood: 'good' }),
      piece({ type: 'content_block_delta', index: 0, delta: { type: 'smell_delta' } }),
      { ...say(''), message: { content: 'text' } },
    );
    const drafts = readLogs(parser(), { stdout });
    const raw = dataOf(drafts, 'raw.stdout').map((data) => (data as { text: string }).text);
    expect(raw.join('')).toBe(linesWithout(stdout, 'mood'));
    expect(dataOf(drafts, 'diagnostic.parser.warning')).toMatchObject([
      { event_type: 'hologram', problem: 'unknown type' },
      { event_type: 'system.dream', problem: 'unknown type' },
      { event_type: 'assistant painting', problem: 'unknown type' },
      { event_type: 'assistant', problem: 'unknown fields', fields: ['mood'] },
      { event_type: 'stream_event.content_block_delta smell_delta', problem: 'unknown type' },
      { event_type: 'assistant', problem: 'unexpected shape' },
    ]);
    expect(summarize(drafts).final_messages).toEqual(['kept']);
  });

  test('events on stderr are read and reported as drifted, once', () => {
    const drafts = readLogs(parser(), { stderr: lines(init, say('here')) });
    expect(summarize(drafts)).toMatchObject({ session_id: 's', final_messages: ['here'], warnings: ['CHANNEL_DRIFT'] });
  });

  test('a line in plain text that asks for a login is an error', () => {
    const drafts = readLogs(parser(), { stderr: 'Invalid API key · Please run /login\n' }, 1);
    expect(summarize(drafts).errors).toEqual(['ENGINE_AUTH_REQUIRED']);
  });

  test('an event that only the merged log holds is recovered where it stands', () => {
    const { folder } = listFixtures().find(({ engine, name }) => engine === 'claude' && name === 'tool')!;
    const whole = readFixtureLog(folder, 'stdout')!.toString();
    const without = whole.split(/(?<=\n)/).filter((line) => !line.includes('I will run one tool now'));
    const drafts = readLogs(parser({ mergedApart: true }), { stdout: without.join(''), pty: whole });
    expect(summarize(drafts)).toMatchObject({
      final_messages: ['I will run one tool now.', expect.stringContaining('All work is finished')],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
  });
});
