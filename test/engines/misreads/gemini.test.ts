import { expect, test } from 'vitest';
import { ofType, RecordedRun } from '../../conversation/recorded-run.ts';
import { dataOf, phasesOf, readFixture } from './read-fixture.ts';

const read = (name: string) => readFixture('gemini', name);

test('the prompt of an imported log is a message of the user; that of a run of ours is there already', () => {
  const imported = readFixture('gemini', 'text-streamjson', { imported: true });
  expect(dataOf(imported, 'interaction.reply.accepted')).toMatchObject([
    { text: 'PROMPT: please do the scripted task.', source: 'prompt' },
  ]);
  expect(phasesOf(imported)).not.toContain('message.user');
  const own = read('text-streamjson');
  expect(dataOf(own, 'interaction.reply.accepted')).toEqual([]);
  expect(phasesOf(own)).toContain('message.user');
});

test('an error told by a line of plain text is less certain than one told by an event', () => {
  const errors = read('e401-streamjson').filter(({ event }) => event.type === 'diagnostic.engine.error');
  const confidence = (stream: string) =>
    new Set(errors.filter(({ source }) => source.stream === stream).map(({ source }) => source.confidence));
  expect(confidence('stdout')).toEqual(new Set([0.95]));
  expect(confidence('stderr')).toEqual(new Set([0.7]));
});

test('a retry names the reason that stands on the line before', () => {
  const [retry] = dataOf(read('r429-streamjson'), 'diagnostic.engine.error');
  expect(retry).toMatchObject({
    code: 'ENGINE_RETRY',
    message:
      'Attempt 1 failed: Resource has been exhausted (e.g. check quota). Suggested retry after 1s.. Retrying after 5669ms...',
  });
});

test('a failed turn is explained by its result, not by the line on stderr that names a report', () => {
  const run = new RecordedRun();
  for (const { event, data, source } of read('live-gemini-stream-json-e500')) run.event(event.type, data, { source });
  const errors = run.events.filter(({ event }) => event.type === 'diagnostic.engine.error');
  expect(JSON.stringify(errors.at(-1)!.data)).toContain('Full report available at: ');
  const [failed] = ofType(run.status('failed', { reason_code: 'ENGINE_ERROR' }).fold(), 'conversation.failed');
  expect(failed!.data.error.message).toBe('API Error: The demo model has failed.');
});

test('an error that does not tell how severe it is counts as an error', () => {
  expect(dataOf(read('made-error-streamjson'), 'diagnostic.engine.error')).toEqual([
    {
      code: 'ENGINE_AUTH_REQUIRED',
      message: 'Authentication failed: the API key is not valid.',
      severity: 'error',
      error_class: 'auth',
    },
  ]);
});

test('a result of success after an error is a failure all the same', () => {
  expect(phasesOf(read('made-turn-limit-streamjson')).at(-1)).toBe('result.error');
});

test('a tool that failed and a request that failed are told on stderr', () => {
  const errors = dataOf(read('made-lines-streamjson'), 'diagnostic.engine.error');
  expect(errors.map(({ code, severity }) => [code, severity])).toEqual([
    ['ENGINE_ERROR', 'warning'],
    ['ENGINE_RATE_LIMITED', 'error'],
  ]);
});

test('a document counts the calls it does not list', () => {
  const usage = dataOf(read('made-calls'), 'lifecycle.run.status').at(-1)?.usage;
  expect(usage).toMatchObject({ tool_calls: 6, failed_tool_calls: 1 });
});

test('the JSON of a failed request is shown by its message', () => {
  const [error] = dataOf(read('e401'), 'diagnostic.engine.error').slice(-1);
  expect(error).toMatchObject({ message: 'API key not valid. Please pass a valid API key.', error_code: 401 });
});

test('a note of the CLI about its options is not said by the assistant', () => {
  const drafts = read('0.18-prompt-streamjson');
  expect(dataOf(drafts, 'agent.message.final').map(({ text }) => text)).toEqual([
    'This is the demo model. It follows a script and answers with this one paragraph.',
  ]);
  expect(phasesOf(drafts)).toContain('message.note');
});
