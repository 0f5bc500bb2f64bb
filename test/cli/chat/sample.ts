import type { ChatSummary } from '../../../src/cli/chat/chat-view.ts';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { ConversationBuilder, HANDLE } from './conversation-builder.ts';

const FIRST_ANSWER = `I found it: the report is built in \`formatReport()\` and printed in one place, so **one flag** is enough. 日本語のファイル名も問題なく表示されます。

## Plan

- add \`--json\` to the options
- print \`JSON.stringify(report)\` when it is given, and nothing else, so that pipes work

\`\`\`ts
if (options.json) process.stdout.write(JSON.stringify(report) + '\\n');
\`\`\`
`;

/** A conversation with everything: streaming, parallel tools, a sub-agent, noise, a question, a reply. */
export function sampleMessages(): FcmpMessage[] {
  const talk = new ConversationBuilder();
  talk
    .state('queued')
    .user('Add a --json flag to the report command, keep the tests green, and tell me in a few words what you changed.')
    .state('running')
    .add('conversation.started', { session_id: 's-1' })
    .raw('\u001b[33mwarn\u001b[0m config.toml: unknown key "theme"\n')
    .add('assistant.reasoning', {
      text: '**Looking around**\n\nI should find the report command first, then see how the tests run it.',
    })
    .add('assistant.plan', {
      items: [
        { text: 'Find the report command', status: 'in_progress' },
        { text: 'Add the flag and a test', status: 'pending' },
        { text: 'Run the tests', status: 'pending' },
      ],
    })
    .call('a', 'started', { summary: 'rg -n "report" src' })
    .call('b', 'started', { name: 'read', summary: 'src/commands/report.ts' })
    .call('a', 'completed', { summary: 'rg -n "report" src', duration_ms: 38 })
    .call('b', 'completed', { name: 'read', summary: 'src/commands/report.ts', duration_ms: 4 })
    .call('t', 'started', { name: 'Task', summary: 'Find all callers of formatReport()' })
    .call('t1', 'started', { name: 'grep', summary: 'formatReport', parent: 't' })
    .call('t1', 'completed', { name: 'grep', summary: 'formatReport', duration_ms: 12, parent: 't' })
    .call('t2', 'started', { name: 'read', summary: 'test/commands/report.test.ts', parent: 't' })
    .call('t2', 'failed', { name: 'read', summary: 'test/commands/report.test.ts', duration_ms: 2, parent: 't' })
    .call('t', 'completed', { name: 'Task', summary: 'Find all callers of formatReport()', duration_ms: 8400 })
    .diagnostic('ENGINE_RETRY', 'Reconnecting... 1/5')
    .diagnostic('ENGINE_RETRY', 'Reconnecting... 2/5')
    .diagnostic('ENGINE_RETRY', 'Reconnecting... 3/5')
    .delta('m1', 'I found it: the report is built in `formatReport()` and printed in one place')
    .delta('m1', ', so **one flag** is enough. 日本語のファイル名も')
    .delta('m1', '問題なく表示されます。\n\n## Plan\n\n- add `--json` to the op')
    .delta('m1', 'tions\n- print `JSON.stringify(report)` when it is given, and nothing else, so that ')
    .final('m1', FIRST_ANSWER)
    .call('c', 'started', { name: 'apply_patch', summary: 'update src/commands/report.ts' })
    .call('c', 'completed', { name: 'apply_patch', summary: 'update src/commands/report.ts', duration_ms: 9 })
    .call('d', 'started', { summary: 'npm test -- --run test/commands/report.test.ts --reporter=verbose --no-color' })
    .raw(Array.from({ length: 20 }, (_, at) => `  at step ${at + 1} (node:internal/process:${at})`).join('\n'))
    .call('d', 'failed', {
      summary: 'npm test -- --run test/commands/report.test.ts --reporter=verbose --no-color',
      duration_ms: 61_200,
    })
    .diagnostic('ENGINE_ERROR', 'The model "gpt-5.5" is overloaded; the request was not processed.', 'error')
    .add('assistant.plan', {
      items: [
        { text: 'Find the report command', status: 'completed' },
        { text: 'Add the flag and a test', status: 'completed' },
        { text: 'Run the tests', status: 'in_progress' },
      ],
    })
    .final('m2', 'One test fails because it needs a database. Shall I **skip** it, or start one with Docker?')
    .add('artifact.changed', { path: 'src/commands/report.ts', change: 'modified' })
    .add('artifact.changed', { path: 'test/commands/report-json.test.ts', change: 'created' })
    .add('artifact.changed', { path: 'tmp/old.log', change: 'deleted' })
    .add('user.input.required', {
      interaction_id: '1.1',
      kind: 'free_text',
      prompt: 'One test fails because it needs a database. Shall I **skip** it, or start one with Docker?',
    })
    .state('waiting_user', 'TERMINAL_SIGNAL');
  talk.attempt = 2;
  talk
    .state('queued', 'reply_accepted')
    .add('user.input.replied', { interaction_id: '1.1', text: 'skip it' })
    .user('skip it')
    .state('running', 'resumed')
    .call('a', 'started', { summary: 'npm test' })
    .call('a', 'completed', { summary: 'npm test', duration_ms: 3400 })
    .final('m1', 'All 42 tests pass. 🎉\n\n```json\n{"__SKILL_DONE__": true}\n```\n')
    .add('artifact.changed', { path: 'test/db.test.ts', change: 'modified' })
    .state('succeeded', 'DONE_MARKER')
    .add('conversation.completed', {});
  return talk.messages;
}

export const sampleSummary: ChatSummary = {
  engine: 'codex',
  status: 'succeeded',
  reason_code: 'DONE_MARKER',
  durationMs: 12_300,
  model: 'gpt-5.5',
  session_id: 's-1',
  usage: { input_tokens: 200, output_tokens: 40, total_tokens: 240, cost_usd: 0.0012 },
  handle: HANDLE,
  question: null,
};
