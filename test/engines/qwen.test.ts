import { describe, expect, test } from 'vitest';
import { createQwenParser } from '../../src/engines/qwen/parser.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { parserContext, readLogs, summarize } from './read-log.ts';
import { describeLaws, lines } from './stream-json-laws.ts';

const parser = (attempt = 1) => createQwenParser(parserContext('qwen', { attempt }));
const read = (...events: unknown[]) => readLogs(parser(), { stdout: lines(...events) });
const dataOf = (drafts: readonly RaspDraft[], type: string) =>
  drafts.filter(({ event }) => event.type === type).map(({ data }) => data);
const phasesOf = (drafts: readonly RaspDraft[]) =>
  dataOf(drafts, 'lifecycle.run.status').map((data) => (data as { phase: string }).phase);

const init = { type: 'system', subtype: 'init', uuid: 's', session_id: 's', model: 'm', permission_mode: 'yolo' };
const assistant = (...content: unknown[]) => ({
  type: 'assistant',
  session_id: 's',
  parent_tool_use_id: null,
  message: { id: 'whole', type: 'message', role: 'assistant', model: 'm', content, stop_reason: null, usage: {} },
});
const say = (text: string) => assistant({ type: 'text', text });
const ended = (id: string, content: string, isError: boolean) => ({
  type: 'user',
  session_id: 's',
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: isError, content }] },
});
const failure = (message: string, more = {}) => ({
  type: 'result',
  subtype: 'error_during_execution',
  session_id: 's',
  is_error: true,
  duration_ms: 350,
  usage: { input_tokens: 0, output_tokens: 0 },
  permission_denials: [],
  error: { message },
  ...more,
});
const piece = (event: unknown) => ({ type: 'stream_event', session_id: 's', parent_tool_use_id: null, event });

describe('qwen', () => {
  describeLaws('qwen', createQwenParser);

  test('pieces have the id of the whole, which is printed under another message than they are', () => {
    const { folder } = listFixtures().find(({ engine, name }) => engine === 'qwen' && name === 'partial-messages')!;
    const drafts = readLogs(parser(), { stdout: readFixtureLog(folder, 'stdout') });
    const wholes = dataOf(drafts, 'agent.message.final') as { message_id: string; text: string }[];
    const pieces = dataOf(drafts, 'agent.message.delta') as { message_id: string; text: string }[];
    expect(wholes).toHaveLength(2);
    for (const { message_id, text } of wholes) {
      const own = pieces.filter((one) => one.message_id === message_id);
      expect(own.map((one) => one.text).join('')).toBe(text);
    }
  });

  test('an error the assistant is made to say is no message, in pieces or whole', () => {
    const text = '[API Error: 401 Incorrect API key provided]';
    const events = [
      init,
      piece({ type: 'message_start', message: { id: 'x', role: 'assistant', model: 'm', content: [] } }),
      piece({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
      say(text),
    ];
    const drafts = read(...events, failure(text));
    expect(summarize(drafts)).toMatchObject({ final_messages: [], errors: ['ENGINE_AUTH_REQUIRED'], warnings: [] });
    expect(dataOf(drafts, 'agent.message.delta')).toEqual([]);
    expect(dataOf(drafts, 'diagnostic.engine.error')).toHaveLength(1);
    expect(phasesOf(drafts).at(-1)).toBe('result.error');
    expect(summarize(read(...events)).errors).toEqual(['ENGINE_AUTH_REQUIRED']);
  });

  test('call ids are those of one attempt, for model services number them from one again', () => {
    const use = { type: 'tool_use', id: 'call_1', name: 'run_shell_command', input: { command: 'ls' } };
    const drafts = readLogs(parser(2), { stdout: lines(assistant(use), ended('call_1', 'file', false)) });
    expect(dataOf(drafts, 'tool.call.completed')).toEqual([
      { call_id: '2.call_1', name: 'run_shell_command', kind: 'command', result: 'file' },
    ]);
  });

  test('several calls in one message all begin; a failed command tells its exit code', () => {
    const output = 'Command: false\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)';
    const drafts = read(
      assistant(
        { type: 'tool_use', id: 'a', name: 'run_shell_command', input: { command: 'false' } },
        { type: 'tool_use', id: 'b', name: 'grep_search', input: { pattern: 'x' } },
      ),
      ended('b', 'none', false),
      ended('a', output, true),
    );
    expect(summarize(drafts).tools).toEqual([
      { name: 'grep_search', kind: 'search', state: 'completed' },
      { name: 'run_shell_command', kind: 'command', state: 'failed' },
    ]);
    expect(dataOf(drafts, 'tool.call.failed')).toMatchObject([{ exit_code: 3 }]);
  });

  test('a tool called through another one has its own kind and may carry the plan', () => {
    const bridge = (id: string, name: string, inner: unknown) =>
      assistant({ type: 'tool_use', id, name: 'tool_call', input: { name, arguments: inner } });
    const todos = [{ id: '1', content: 'look', status: 'in_progress' }];
    const drafts = read(bridge('a', 'mcp__docs__find', { q: 1 }), bridge('b', 'todo_write', { todos }));
    expect(dataOf(drafts, 'tool.call.started')).toMatchObject([
      { name: 'tool_call', kind: 'mcp' },
      { name: 'tool_call', kind: 'other' },
    ]);
    expect(dataOf(drafts, 'agent.plan.updated')).toEqual([{ items: [{ text: 'look', status: 'in_progress' }] }]);
  });

  test('the failure of a sub-agent is told and is not the end of the run', () => {
    const drafts = read(
      init,
      assistant({ type: 'tool_use', id: 'a', name: 'agent', input: { prompt: 'look' } }),
      failure('the helper gave up', { duration_ms: 0, duration_api_ms: 0, num_turns: 0 }),
      ended('a', 'the helper gave up', true),
      failure('no such key', { duration_ms: 0 }),
    );
    expect(phasesOf(drafts)).toEqual(['init', 'agent.result.error', 'result.error']);
    expect(dataOf(drafts, 'diagnostic.engine.error')).toMatchObject([{ subagent: true }, { message: 'no such key' }]);
  });

  test('goals and notices are covered, an unknown notice is reported', () => {
    const notice = { type: 'system', session_id: 's', parent_tool_use_id: null, data: { notice: 'x' } };
    const drafts = read(
      init,
      piece({ type: 'goal_state', goal_state: { v: 2, goal: null, activity: 'idle' } }),
      { ...notice, subtype: 'worktree_started' },
      { ...notice, subtype: 'dream' },
    );
    expect(phasesOf(drafts)).toEqual(['init', 'stream_event.goal_state', 'system.worktree_started']);
    expect(dataOf(drafts, 'diagnostic.parser.warning')).toMatchObject([{ event_type: 'system.dream' }]);
  });
});
