import { expect, test } from 'vitest';
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
