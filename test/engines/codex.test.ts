import { describe, expect, test } from 'vitest';
import { createCodexParser } from '../../src/engines/codex/parser.ts';
import { linesWithout, parserContext, readLogs, summarize } from './read-log.ts';

const parser = () => createCodexParser(parserContext('codex'));
const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('codex', () => {
  test('a call that only ends gets a start of its own', () => {
    const item = { id: 'item_0', type: 'web_search', query: 'node pty', action: { type: 'search' } };
    const drafts = readLogs(parser(), { stdout: lines({ type: 'item.completed', item }) });
    expect(drafts.map(({ event }) => event.type)).toEqual(['tool.call.started', 'tool.call.completed']);
  });

  test('plans, MCP calls and failures keep all they say', () => {
    const plan = {
      id: 'item_1',
      type: 'todo_list',
      items: [
        { text: 'look', completed: true },
        { text: 'act', completed: false },
      ],
    };
    const call = {
      id: 'item_2',
      type: 'mcp_tool_call',
      server: 'docs',
      tool: 'find',
      arguments: { q: 1 },
      error: { message: 'no' },
      status: 'failed',
    };
    const drafts = readLogs(parser(), {
      stdout: lines({ type: 'item.started', item: plan }, { type: 'item.completed', item: call }),
    });
    expect(drafts[0]!.data).toEqual({
      items: [
        { text: 'look', status: 'completed' },
        { text: 'act', status: 'pending' },
      ],
    });
    expect(drafts.at(-1)).toMatchObject({
      event: { type: 'tool.call.failed' },
      data: {
        call_id: '1.item_2',
        name: 'find',
        kind: 'mcp',
        arguments: { server: 'docs', arguments: { q: 1 } },
        result: { message: 'no' },
      },
    });
  });

  test('an unknown event or item is kept as raw, an unknown field is not; warnings name all of them', () => {
    const stdout = lines(
      { type: 'turn.paused', why: 'x' },
      { type: 'item.completed', item: { id: 'item_0', type: 'hologram' } },
      { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'hi', mood: 'good' } },
      { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 7 } },
    );
    const drafts = readLogs(parser(), { stdout });
    const raw = drafts
      .filter(({ event }) => event.type === 'raw.stdout')
      .map(({ data }) => (data as { text: string }).text);
    expect(raw.join('')).toBe(linesWithout(stdout, 'mood'));
    const warnings = drafts.filter(({ event }) => event.category === 'diagnostic').map(({ data }) => data);
    expect(warnings).toMatchObject([
      { code: 'UNPARSED_CONTENT', event_type: 'turn.paused', problem: 'unknown type' },
      { code: 'UNPARSED_CONTENT', event_type: 'item.completed hologram', problem: 'unknown type' },
      { code: 'UNPARSED_CONTENT', problem: 'unknown fields', fields: ['mood'] },
      { code: 'UNPARSED_CONTENT', problem: 'unexpected shape' },
    ]);
    expect(summarize(drafts).final_messages).toEqual(['hi']);
  });

  test('events on stderr are read and reported as drifted, once', () => {
    const stderr = lines({ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' });
    const drafts = readLogs(parser(), { stderr });
    expect(summarize(drafts)).toMatchObject({ session_id: 't', warnings: ['CHANNEL_DRIFT'] });
    expect(drafts).toHaveLength(3);
  });

  test('a message that only the merged log holds is recovered where it stands', () => {
    const say = (id: number, text: string) => ({
      type: 'item.completed',
      item: { id: `item_${id}`, type: 'agent_message', text },
    });
    const all = [
      { type: 'thread.started', thread_id: 't' },
      say(0, 'one'),
      say(1, 'two'),
      say(2, 'two'),
      { type: 'turn.completed', usage: {} },
    ];
    const stdout = lines(...all.filter((_, index) => index !== 1));
    const drafts = readLogs(createCodexParser(parserContext('codex', { mergedApart: true })), {
      stdout,
      pty: lines(...all),
    });
    expect(summarize(drafts)).toMatchObject({
      final_messages: ['one', 'two', 'two'],
      warnings: ['PTY_FALLBACK_USED', 'PTY_STREAM_MISMATCH'],
    });
    expect(drafts.find(({ event }) => event.type === 'agent.message.final')!.raw_ref).toMatchObject({ stream: 'pty' });
  });
});
