import { expect, test } from 'vitest';
import type { FcmpMessage } from '../../src/protocol/index.ts';
import { ofType, RecordedRun, typesAndData } from './recorded-run.ts';

const failureOf = (run: RecordedRun) => ofType(run.fold(), 'conversation.failed')[0]?.data.error;
const error = (message: string) => ({ code: 'ENGINE_ERROR', message, severity: 'error' as const });

/** `running→failed (CODE)` for each change, and the ends in between. */
function states(messages: readonly FcmpMessage[]): string[] {
  return typesAndData(messages).flatMap(([type, data]) => {
    if (type !== 'conversation.state.changed') return /completed|failed|canceled/.test(type) ? [type] : [];
    const { from, to, reason_code } = data as FcmpMessage<'conversation.state.changed'>['data'];
    return [`${from}→${to} (${reason_code})`];
  });
}

test('only a different status is a change', () => {
  const run = new RecordedRun().status('running').phase('turn.started').status('running').status('waiting_approval');
  expect(states(run.fold())).toEqual(['null→running (STATUS)', 'running→waiting_approval (STATUS)']);
});

test.each([
  ['succeeded', 'conversation.completed'],
  ['failed', 'conversation.failed'],
  ['canceled', 'conversation.canceled'],
] as const)('a run that is %s ends the conversation once', (status, type) => {
  const run = new RecordedRun().status('running').status(status, { reason_code: 'X' }).status(status);
  expect(states(run.fold())).toEqual(['null→running (STATUS)', `running→${status} (X)`, type]);
});

test('output read after the end changes nothing', () => {
  const run = new RecordedRun().status('succeeded').phase('turn.completed').phase('init', { session_id: 's' });
  expect(run.fold().map(({ type }) => type)).toEqual([
    'conversation.state.changed',
    'conversation.completed',
    'conversation.started',
  ]);
});

test('a reopened run is queued first, and ends again', () => {
  const run = new RecordedRun().status('succeeded').nextAttempt().status('running', { phase: 'reopened' });
  run.status('failed', { reason_code: 'SIGNALED' });
  expect(states(run.fold())).toEqual([
    'null→succeeded (STATUS)',
    'conversation.completed',
    'succeeded→queued (reopened)',
    'queued→running (reopened)',
    'running→failed (SIGNALED)',
    'conversation.failed',
  ]);
});

test('a reopened run with its own queued status is not queued twice', () => {
  const run = new RecordedRun().status('failed').nextAttempt().status('queued').status('running');
  expect(states(run.fold()).slice(2)).toEqual(['failed→queued (reopened)', 'queued→running (STATUS)']);
});

test.each([
  ['EXIT_NONZERO', 'engine'],
  ['SIGNALED', 'engine'],
  ['ENGINE_AUTH_REQUIRED', 'engine'],
  ['DONE_MARKER_MISSING', 'parser'],
  ['INCOMPLETE_STATE_CLASSIFICATION', 'parser'],
  ['BUDGET_EXCEEDED', 'user'],
  ['CANCELED', 'user'],
  ['HARD_TIMEOUT', 'runtime'],
  ['SUPERVISOR_LOST', 'runtime'],
])('a failure with %s has the category %s', (reason_code, category) => {
  expect(failureOf(new RecordedRun().status('failed', { reason_code }))).toMatchObject({ code: reason_code, category });
});

test('the message of a failure is the last error that the engine reported in that attempt', () => {
  const run = new RecordedRun()
    .event('diagnostic.engine.error', error('first'))
    .event('diagnostic.engine.error', error('Rate limit reached.'))
    .event('diagnostic.engine.error', { code: 'ENGINE_RETRY', message: 'Reconnecting', severity: 'warning' })
    .status('failed', { reason_code: 'EXIT_NONZERO' });
  expect(failureOf(run)?.message).toBe('Rate limit reached.');

  const later = new RecordedRun().event('diagnostic.engine.error', error('first')).nextAttempt();
  expect(failureOf(later.status('failed', { reason_code: 'DONE_MARKER_MISSING' }))?.message).toBe(
    'The run asked for a done marker and none was seen.',
  );
});

test('a line of plain text does not replace the error that an event of the engine reported', () => {
  const source = (confidence: number) => ({ source: { engine: 'gemini', parser: 'g', stream: 'stderr', confidence } });
  const run = new RecordedRun()
    .event('diagnostic.engine.error', error('The model failed.'), source(0.95))
    .event('diagnostic.engine.error', error('Full report available at: /tmp/report.json'), source(0.7))
    .status('failed', { reason_code: 'ENGINE_ERROR' });
  expect(failureOf(run)?.message).toBe('The model failed.');
});

test('without an engine error the message of a failure is the recorder’s error, or the meaning of its code', () => {
  const missing = { code: 'COMMAND_NOT_FOUND', message: 'mak: not found', severity: 'error' as const };
  const run = new RecordedRun().event('diagnostic.runtime.warning', missing);
  expect(failureOf(run.status('failed', { reason_code: 'COMMAND_NOT_FOUND' }))?.message).toBe('mak: not found');

  const message = (reason_code: string) => failureOf(new RecordedRun().status('failed', { reason_code }))?.message;
  expect(message('ENGINE_NOT_INSTALLED')).toBe('The engine’s program was not found.');
  expect(message('EXIT_NONZERO')).toBe('The program ended with an exit code other than 0.');
  expect(message('toString')).toBe('The run failed (toString).');
});
