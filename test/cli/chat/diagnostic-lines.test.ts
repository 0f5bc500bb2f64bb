import { expect, test } from 'vitest';
import { ConversationBuilder } from './conversation-builder.ts';
import { draw, ended, openView } from './draw.ts';

test('errors are red, warnings yellow, both with their code; information is hidden', () => {
  const { view, output } = openView({ colors: true });
  view.show(
    new ConversationBuilder()
      .diagnostic('ENGINE_ERROR', 'Broken.', 'error')
      .diagnostic('CHANNEL_DRIFT', 'Moved.')
      .diagnostic('DRAIN_DEADLINE', 'Late.', 'info')
      .diagnostic('RAW_DUPLICATE_SUPPRESSED', 'x')
      .diagnostic('RAW_COALESCED', 'x')
      .diagnostic('LOW_CONFIDENCE_PARSE', 'x').messages,
  );
  expect(output()).toBe('\u001b[31m! Broken. [ENGINE_ERROR]\u001b[39m\n\u001b[33m! Moved. [CHANNEL_DRIFT]\u001b[39m\n');
});

test('immediate repetitions of a code are counted on one line', () => {
  const talk = new ConversationBuilder();
  for (const at of [1, 2, 3]) talk.diagnostic('ENGINE_RETRY', `429, waiting ${at} s`, 'info');
  expect(draw(talk.messages, { rewrites: true })).toBe('↻ try again: 429, waiting 3 s (×3)');
  expect(draw(talk.final('m', 'Hi').messages, { rewrites: true })).toBe('↻ try again: 429, waiting 3 s (×3)\n\nHi');
  expect(draw(talk.messages)).toBe('↻ try again: 429, waiting 1 s\n↻ try again: 429, waiting 3 s (×3)\n\nHi');
});

test('different messages of one code stay separate, also with rewriting', () => {
  const talk = new ConversationBuilder();
  for (const message of ['First.', 'Second.', 'Second.']) talk.diagnostic('ENGINE_ERROR', message, 'error');
  expect(draw(talk.messages, { rewrites: true })).toBe('! First. [ENGINE_ERROR]\n! Second. [ENGINE_ERROR] (×2)');
});

test('without rewriting, a repeated message is not printed again', () => {
  const talk = new ConversationBuilder();
  for (let at = 0; at < 3; at++) talk.diagnostic('ENGINE_ERROR', 'High demand.', 'error');
  for (let at = 0; at < 3; at++) talk.diagnostic('ENGINE_RETRY', '429');
  expect(draw(talk.call('a', 'completed').messages)).toBe(
    [
      '! High demand. [ENGINE_ERROR]',
      '! the same again [ENGINE_ERROR] (×3)',
      '↻ try again: 429',
      '↻ the same again (×3)',
      '✔ shell  ls',
    ].join('\n'),
  );
});

test('repetitions of a code between other lines are counted and reported at the end', () => {
  const talk = new ConversationBuilder();
  for (let at = 1; at <= 20; at++) {
    talk.call(`c${at}`, 'completed', { summary: `job ${at}` }).diagnostic('UNPARSED_CONTENT', `line ${at}`);
  }
  talk.call('last', 'completed').diagnostic('CHANNEL_DRIFT', 'Moved.').call('x', 'completed');
  talk.diagnostic('CHANNEL_DRIFT', 'Moved.');
  const lines = draw(talk.messages, {}, ended()).split('\n');
  expect(lines.filter((line) => line.startsWith('!'))).toEqual([
    '! line 1 [UNPARSED_CONTENT]',
    '! line 2 [UNPARSED_CONTENT]',
    '! line 3 [UNPARSED_CONTENT]',
    '! Moved. [CHANNEL_DRIFT]',
    '! 17 times more [UNPARSED_CONTENT]',
    '! once more [CHANNEL_DRIFT]',
  ]);
});

test('a long message takes a few lines and keeps its code', () => {
  const talk = new ConversationBuilder().diagnostic('ENGINE_ERROR', 'word '.repeat(200), 'error');
  const lines = draw(talk.messages, { columns: 40 }).split('\n');
  expect(lines.length).toBeLessThanOrEqual(5);
  expect(lines.at(-1)).toMatch(/\[ENGINE_ERROR\]$/);
});

test('the reason of a failure is shown once', () => {
  const error = { category: 'engine' as const, code: 'ENGINE_ERROR', message: 'No credit left.' };
  const failed = new ConversationBuilder().state('failed').add('conversation.failed', { error });
  expect(draw(failed.messages)).toBe('! No credit left.');
  const reported = new ConversationBuilder().diagnostic('ENGINE_ERROR', 'No credit left.', 'error');
  reported.add('conversation.failed', { error });
  expect(draw(reported.messages)).toBe('! No credit left. [ENGINE_ERROR]');
});
