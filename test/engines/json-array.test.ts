import { describe, expect, test } from 'vitest';
import { createClaudeParser } from '../../src/engines/claude/parser.ts';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { coveredBytes, parserContext, readChunks, readLogs, summarize, TIME } from './read-log.ts';

const parser = () => createClaudeParser(parserContext('claude'));
const read = (stdout: string) => readLogs(parser(), { stdout });
const rawOf = (drafts: readonly RaspDraft[]) =>
  drafts
    .filter(({ event }) => event.category === 'raw')
    .map(({ data }) => (data as { text: string }).text)
    .join('');
const rangesOf = (drafts: readonly RaspDraft[]) =>
  drafts
    .map(({ raw_ref }) => raw_ref as { byte_from: number; byte_to: number })
    .map((at) => [at.byte_from, at.byte_to]);

const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
const say = (text: string) => ({ type: 'assistant', message: { id: text, content: [{ type: 'text', text }] } });
const said = ['a [b], {c}', 'd "e" \\ f'];
const events = [init, ...said.map(say)];

describe('an array of events', () => {
  test.each([
    ['on one line', JSON.stringify(events)],
    ['on one line with its end', `${JSON.stringify(events)}\n`],
    ['over many lines', `${JSON.stringify(events, null, 2)}\n`],
    ['with the line ends of a terminal', `${JSON.stringify(events, null, 1).replaceAll('\n', '\r\n')}\r\n`],
    ['behind blanks', `  ${JSON.stringify(events, null, 2)}`],
    ['with one event in each line', `[${events.map((event) => JSON.stringify(event)).join(',\n')}]\n`],
  ])('is read like lines, %s', (_how, stdout) => {
    const drafts = read(stdout);
    expect(summarize(drafts)).toMatchObject({ session_id: 's', final_messages: said, warnings: [] });
    expect(rawOf(drafts)).toBe('');
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });

  test('gives each object its own bytes, with the comma before it, and the last one the rest', () => {
    const stdout = `${JSON.stringify(events)}\n`;
    const [first, second] = [JSON.stringify(init).length + 1, JSON.stringify(say(said[0]!)).length + 1];
    expect(rangesOf(read(stdout))).toEqual([
      [0, first],
      [first, first + second],
      [first + second, stdout.length],
    ]);
  });

  test('waits for its end however slowly it comes', () => {
    const stdout = JSON.stringify(events);
    const bytes = Buffer.from(stdout);
    const slow = Array.from(bytes, (_, at) => ({
      stream: 'stdout' as const,
      bytes: bytes.subarray(at, at + 1),
      time: TIME + at * 900,
    }));
    expect(summarize(readChunks(parser(), slow))).toMatchObject({ final_messages: said, warnings: [] });
  });

  test('is left where it ends; what follows is lines', () => {
    const drafts = read(`[${JSON.stringify(init)}] bye\n${JSON.stringify(say('here'))}\n`);
    expect(summarize(drafts)).toMatchObject({ session_id: 's', final_messages: ['here'] });
    expect(rawOf(drafts)).toBe(' bye\n');
  });

  test('has many objects', () => {
    const many = Array.from({ length: 20_000 }, () => ({ type: 'keep_alive' }));
    const stdout = JSON.stringify([...many, say('at last')]);
    const drafts = read(stdout);
    expect(summarize(drafts)).toMatchObject({ final_messages: ['at last'], warnings: [] });
    expect(coveredBytes(drafts)).toBe(stdout.length);
  });
});

describe('what only begins like an array of events', () => {
  test.each([
    ['a list of words', '["a", "b"]\n', []],
    ['a prompt', '[y/N] ', []],
    ['a level of a log', '[WARN] take care\n', []],
    ['a bracket alone', '[\nand then text\n', []],
    ['an array that is cut off behind an object', `[${JSON.stringify(say('one'))},`, ['one']],
    ['an array that is cut off in a string', `[${JSON.stringify(say('one'))},{"type":"assis\nhello\n`, ['one']],
    ['objects without commas', `[${JSON.stringify(say('one'))} ${JSON.stringify(say('two'))}]\n`, ['one']],
  ])('is raw output as far as it is not: %s', (_what, stdout, messages) => {
    const drafts = read(stdout);
    expect(summarize(drafts).final_messages).toEqual(messages);
    expect(coveredBytes(drafts)).toBe(stdout.length);
    expect(stdout.endsWith(rawOf(drafts))).toBe(true);
  });
});
