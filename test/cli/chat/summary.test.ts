import { expect, test } from 'vitest';
import { parsedSummary } from '../../../src/cli/chat/summary.ts';
import { ConversationBuilder } from './conversation-builder.ts';
import { ended } from './draw.ts';

test('a conversation is summarised in one object', () => {
  const talk = new ConversationBuilder()
    .user('Go')
    .delta('m', 'Hel')
    .call('a', 'started')
    .call('a', 'completed', { duration_ms: 12 })
    .final('m', 'Hello')
    .diagnostic('ENGINE_RETRY', 'x')
    .diagnostic('ENGINE_RETRY', 'y')
    .add('artifact.changed', { path: 'a.txt', change: 'created' });
  talk.attempt = 2;
  talk.user('More').call('a', 'started', { name: 'read', summary: 'b.txt' }).delta('m', 'Half an ').delta('m', 'ans');
  const facts = ended({ status: 'canceled', reason_code: 'CANCELED', session_id: 's', usage: { input_tokens: 3 } });
  expect(parsedSummary(talk.messages, facts)).toEqual({
    engine: 'codex',
    session_id: 's',
    status: 'canceled',
    reason_code: 'CANCELED',
    messages: [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: 'Hello' },
      { role: 'user', text: 'More' },
      { role: 'assistant', text: 'Half an ans' },
    ],
    tools: [
      { name: 'shell', summary: 'ls', state: 'completed', duration_ms: 12 },
      { name: 'read', summary: 'b.txt', state: 'started', duration_ms: null },
    ],
    files: [{ path: 'a.txt', change: 'created' }],
    diagnostics: [{ code: 'ENGINE_RETRY', count: 2 }],
    usage: { input_tokens: 3 },
    duration_ms: 1000,
  });
});
