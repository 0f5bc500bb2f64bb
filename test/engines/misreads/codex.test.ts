import { expect, test } from 'vitest';
import { summarizeToolCall } from '../../../src/conversation/tool-summary.ts';
import { dataOf, phasesOf, readFixture, typesOf } from './read-fixture.ts';

const read = (name: string) => readFixture('codex', name);
const errorsOf = (name: string) => dataOf(read(name), 'diagnostic.engine.error');

test('calls of sub-agents are calls of kind agent, and the states of the agents are their results', () => {
  const drafts = read('made-sub-agents');
  expect(typesOf(drafts).filter((type) => /^(raw|diagnostic)/.test(type))).toEqual([]);
  const agent = '00000000-0000-7000-8000-00000000a9e7';
  expect(dataOf(drafts, 'tool.call.completed')).toEqual([
    {
      call_id: '1.item_1',
      name: 'spawn_agent',
      kind: 'agent',
      arguments: { prompt: 'Count the files of this folder.', receiver_thread_ids: [agent] },
      result: { [agent]: { status: 'pending_init', message: null } },
    },
    {
      call_id: '1.item_2',
      name: 'wait',
      kind: 'agent',
      arguments: { receiver_thread_ids: [agent] },
      result: { [agent]: { status: 'completed', message: 'There are 7 files.' } },
    },
  ]);
});

test('a web search keeps its results, and is summarized by its query or action', () => {
  const drafts = read('made-web-search');
  expect(typesOf(drafts).filter((type) => /^(raw|diagnostic)/.test(type))).toEqual([]);
  expect(dataOf(drafts, 'tool.call.started').map(summarizeToolCall)).toEqual(Array(3).fill('web_search'));
  const completed = dataOf(drafts, 'tool.call.completed');
  expect(completed.map(summarizeToolCall)).toEqual(['height of the tower', 'https://example.com/tower', 'web_search']);
  expect(completed.map(({ result }) => (result as unknown[]).length)).toEqual([1, 0, 1]);
});

test('a usage limit is a limit of the service, and a lost sign-in asks for a new one', () => {
  expect(errorsOf('made-usage-limit').map(({ code }) => code)).toEqual(['ENGINE_RATE_LIMITED']);
  expect(errorsOf('made-signed-out').map(({ code }) => code)).toEqual(['ENGINE_AUTH_REQUIRED']);
});

test('an error told as JSON is shown by its message, and once', () => {
  expect(errorsOf('made-bad-request')).toEqual([
    {
      code: 'ENGINE_ERROR',
      message: "The tool web_search cannot be used with reasoning effort 'minimal'.",
      severity: 'error',
      status_code: 400,
    },
  ]);
  expect(phasesOf(read('made-bad-request')).at(-1)).toBe('turn.failed');
});

test('messages of two invocations in one log have different ids', () => {
  const ids = dataOf(read('made-two-turns'), 'agent.message.final').map(({ message_id }) => message_id);
  expect(ids).toEqual(['1.item_2', '1.2.item_2']);
});

test('a call that is reported while it runs begins once', () => {
  const drafts = read('made-call-updated');
  expect(typesOf(drafts).filter((type) => type.startsWith('tool.'))).toEqual([
    'tool.call.started',
    'tool.call.completed',
  ]);
});
