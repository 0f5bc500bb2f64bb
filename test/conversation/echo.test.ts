import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/index.ts';
import type { FcmpMessage, RunStatus } from '../../src/protocol/index.ts';
import { raspData } from '../protocol/samples.ts';
import { ofType, RecordedRun, rawText, suppressedCounts } from './recorded-run.ts';

const answer = Array.from({ length: 20 }, (_, at) => `Line ${at} of the answer`);
const text = `${answer.join('\n')}\n`;
const KIB = 1024;

const raws = (messages: readonly FcmpMessage[]) =>
  ofType(messages, 'raw.stdout', 'raw.stderr').map(({ data, raw_ref }) => ({ ...data, raw_ref }));
const range = (byte_from: number, byte_to: number, stream = 'stdout') => ({
  attempt_number: 1,
  stream,
  byte_from,
  byte_to,
});

test.each([
  ['before', () => new RecordedRun().raw(text).final(text)],
  ['after', () => new RecordedRun().final(text).raw(text)],
  ['before and after', () => new RecordedRun().raw(text).final(text).skip(9).raw(text)],
])('an echo %s its message is left out of the conversation, and stays in the events', (_, build) => {
  const run = build().status('succeeded');
  const recorded = structuredClone(run.events);
  const messages = run.fold();
  expect(rawText(messages)).toBe('');
  expect(new Set(suppressedCounts(messages))).toEqual(new Set([20]));
  expect(run.events).toEqual(recorded);
});

test('an echo is reported once, with its line count and its bytes', () => {
  const run = new RecordedRun().raw('Loading\n').raw(text).raw('Bye\n').final(text).status('succeeded');
  const messages = run.fold();
  expect(messages.map(({ type }) => type).slice(0, 4)).toEqual([
    'raw.stdout',
    'diagnostic.warning',
    'raw.stdout',
    'assistant.message.final',
  ]);
  expect(messages[1]).toMatchObject({
    ts: run.events[1]!.ts,
    data: {
      code: 'RAW_DUPLICATE_SUPPRESSED',
      message: 'Raw lines that repeat a message were left out of the conversation.',
      severity: 'info',
      suppressed_count: 20,
    },
    meta: { rasp_seq: 2 },
    raw_ref: range(8, 8 + text.length),
  });
});

test('two lines are not an echo', () => {
  const messages = new RecordedRun().raw('a\nb\n').final('a\nb\nc').status('succeeded').fold();
  expect(raws(messages)).toEqual([{ text: 'a\nb\n', lines: 2, raw_ref: range(0, 4) }]);
  expect(suppressedCounts(messages)).toEqual([]);
});

test('an echo within a block is removed from it, to the byte', () => {
  const messages = new RecordedRun().raw('Zürich\nx\na\nb\nc\n→ y\nz\n').final('a\nb\nc').status('succeeded').fold();
  expect(raws(messages)).toEqual([
    { text: 'Zürich\nx\n', lines: 2, raw_ref: range(0, 10) },
    { text: '→ y\nz\n', lines: 2, raw_ref: range(16, 24) },
  ]);
  expect(ofType(messages, 'diagnostic.warning')[0]?.raw_ref).toEqual(range(10, 16));
});

test('an incomplete line waits for its rest, the lines before it do not', () => {
  const run = new RecordedRun().raw('x\ny').final('a');
  expect(rawText(run.fold())).toBe('x\n');
  expect(raws(run.raw('z\n').status('succeeded').fold()).map((raw) => raw.text)).toEqual(['x\n', 'y', 'z\n']);
});

test('a sequence too short to be an echo does not split its block', () => {
  const messages = new RecordedRun().raw('x\na\nb\ny\n').final('a\nb').status('succeeded').fold();
  expect(raws(messages)).toEqual([{ text: 'x\na\nb\ny\n', lines: 4, raw_ref: range(0, 8) }]);
});

test('an echo is found across blocks, wherever they are split', () => {
  for (const at of [1, 21, 22, 30, 44, text.length - 1]) {
    const run = new RecordedRun().raw(text.slice(0, at)).raw(text.slice(at)).final(text).status('succeeded');
    const messages = run.fold();
    expect(rawText(messages)).toBe('');
    // A line recorded in two pieces counts as the two lines in the events.
    expect(suppressedCounts(messages)).toEqual([text[at - 1] === '\n' ? 20 : 21]);
  }
});

test('an echo may surround its message', () => {
  const half = answer.slice(0, 2).join('\n');
  const rest = answer.slice(2).join('\n');
  const run = new RecordedRun().raw(`x\n${half}\n`).final(text).raw(`${rest}\ny\n`).status('succeeded');
  const messages = run.fold();
  expect(suppressedCounts(messages)).toEqual([20]);
  expect(rawText(messages)).toBe('x\ny\n');
});

test('blank lines within an echo neither count nor end it; those around it are kept', () => {
  const messages = new RecordedRun().raw('\na\n\n\nb\n \nc\n\nx\n').final('a\nb\nc').status('succeeded').fold();
  expect(raws(messages).map((raw) => raw.text)).toEqual(['\n', '\nx\n']);
  expect(suppressedCounts(messages)).toEqual([6]);
  const short = new RecordedRun().raw('a\n\n\n\nb\n').final('a\n\n\n\nb').status('succeeded').fold();
  expect(raws(short).map((raw) => raw.text)).toEqual(['a\n\n\n\nb\n']);
});

test('colours, carriage returns and indentation do not hide an echo', () => {
  const echo = '\u001b[1;32m  a\u001b[0m\r\n\u001b]0;title\u0007b\t\r\n\u001b[?25h\u001b(Bc\r\n';
  const messages = new RecordedRun().raw(echo, 'pty').final('a\n  b\nc').status('succeeded').fold();
  expect(suppressedCounts(messages)).toEqual([3]);
});

test('a fence around a whole message is not part of its lines', () => {
  const fenced = '```json\n{\n"a": 1\n}\n```\n';
  expect(suppressedCounts(new RecordedRun().raw('{\n"a": 1\n}\n').final(fenced).status('succeeded').fold())).toEqual([
    3,
  ]);
  const withFences = new RecordedRun().raw(fenced).final(fenced).status('succeeded').fold();
  expect(rawText(withFences)).toBe('```json\n```\n');
  const inner = 'a\n```\nb\n```\nc';
  expect(suppressedCounts(new RecordedRun().raw(inner).final(inner).status('succeeded').fold())).toEqual([5]);
  const twoBlocks = '```\na\n```\ntext\n```\nb\n```';
  expect(suppressedCounts(new RecordedRun().raw(twoBlocks).final(twoBlocks).status('succeeded').fold())).toEqual([7]);
});

test('each stream has its own echoes', () => {
  const run = new RecordedRun();
  for (const line of ['a\n', 'b\n', 'c\n']) run.raw(line).raw('noise\n', 'stderr');
  const messages = run.final('a\nb\nc').status('succeeded').fold();
  expect(rawText(messages)).toBe('noise\n'.repeat(3));
  const apart = new RecordedRun().raw('a\nb\n').raw('c\n', 'stderr').final('a\nb\nc').status('succeeded').fold();
  expect(suppressedCounts(apart)).toEqual([]);
});

test('lines separated by other output of the stream are not contiguous', () => {
  const run = new RecordedRun().raw('a\nb\n').skip(50).raw('c\nd\n').final('a\nb\nc\nd').status('succeeded');
  expect(suppressedCounts(run.fold())).toEqual([]);
});

test('a message of another attempt has no echo', () => {
  const run = new RecordedRun().final('a\nb\nc').nextAttempt().raw('a\nb\nc\n').status('succeeded');
  expect(rawText(run.fold())).toBe('a\nb\nc\n');
});

test('raw output of the merged terminal becomes stdout', () => {
  const messages = new RecordedRun().raw('$ ', 'pty').status('succeeded').fold();
  expect(raws(messages)).toEqual([{ text: '$ ', lines: 1, raw_ref: range(0, 2, 'pty') }]);
});

test('raw output waits for the next final message while other messages continue', () => {
  const conversation = createConversation({ run_id: 'r' });
  const run = new RecordedRun()
    .raw('x\n')
    .event('agent.message.delta', { message_id: 'm', text: 'Hi' })
    .raw('oops\n', 'stderr')
    .final('Hi')
    .raw('y\n')
    .final('Ho');
  const types = run.events.map((event) => conversation.push(event).map(({ type }) => type));
  expect(types).toEqual([
    [],
    ['assistant.message.delta'],
    [],
    ['raw.stdout', 'raw.stderr', 'assistant.message.final'],
    [],
    ['raw.stdout', 'assistant.message.final'],
  ]);
});

test.each<RunStatus>(['succeeded', 'failed', 'canceled', 'waiting_user', 'waiting_approval'])(
  'raw output is released before the run is %s',
  (status) => {
    const messages = new RecordedRun().raw('x\n').status(status).fold();
    expect(messages.map(({ type }) => type).slice(0, 2)).toEqual(['raw.stdout', 'conversation.state.changed']);
  },
);

test('raw output is released when the attempt is classified, and when another attempt starts', () => {
  const classified = new RecordedRun().raw('x\n');
  classified.event('lifecycle.completion.state', raspData['lifecycle.completion.state']);
  expect(rawText(classified.fold())).toBe('x\n');
  const message = new RecordedRun().raw('x\n').nextAttempt().final('Hi').fold()[0];
  expect(message).toMatchObject({ type: 'raw.stdout', meta: { attempt: 1, rasp_seq: 1 } });
});

test('raw output after the end of its attempt is released at once', () => {
  expect(rawText(new RecordedRun().status('succeeded').raw('late\n').raw('later\n').fold())).toBe('late\nlater\n');
});

test('above 64 KiB the oldest output is released first', () => {
  const block = (name: string) => `${name.repeat(20 * KIB - 1)}\n`;
  const run = new RecordedRun().raw(block('a')).raw(block('b'), 'stderr').raw(block('c'));
  expect(run.fold()).toEqual([]);
  run.raw(block('d'));
  expect(rawText(run.fold())).toBe(block('a'));
  expect(rawText(run.raw(`${'e'.repeat(100 * KIB)}\n`).fold())).toBe(
    `${['a', 'b', 'c', 'd'].map(block).join('')}${'e'.repeat(100 * KIB)}\n`,
  );
});

test('many empty lines are not held indefinitely', () => {
  const run = new RecordedRun();
  for (let at = 0; at < 5000; at++) run.raw('\n');
  expect(run.fold().length).toBeGreaterThan(900);
});

test('an echo longer than the held output is one echo', () => {
  const run = new RecordedRun().final(text);
  for (let at = 0; at < 300; at++) run.raw(text);
  const messages = run.raw('x\n').status('succeeded').fold();
  expect(suppressedCounts(messages)).toEqual([6000]);
  expect(rawText(messages)).toBe('x\n');
});

test('endless blank lines after an echo are released', () => {
  const run = new RecordedRun().final('a\nb\nc').raw('a\nb\nc\n');
  for (let at = 0; at < 4; at++) run.raw('\n'.repeat(60 * KIB));
  const messages = run.fold();
  expect(suppressedCounts(messages)).toEqual([3]);
  expect(rawText(messages).length).toBeGreaterThan(60 * KIB);
  expect(rawText(run.status('succeeded').fold())).toBe('\n'.repeat(240 * KIB));
});

test('a long message displaces old ones, but only after the search for their echo', () => {
  const long = Array.from({ length: 10_000 }, (_, at) => `row ${at}`).join('\n');
  const echo = new RecordedRun().final('a\nb\nc').raw('a\nb\nc\n').final(long).status('succeeded').fold();
  expect(suppressedCounts(echo)).toEqual([3]);
  const late = new RecordedRun().final('a\nb\nc').final(long).raw('a\nb\nc\n').status('succeeded').fold();
  expect(suppressedCounts(late)).toEqual([]);
  const tail = 'row 9997\nrow 9998\nrow 9999\n';
  expect(suppressedCounts(new RecordedRun().final(long).raw(tail).status('succeeded').fold())).toEqual([3]);
});

test('output that is not text is passed unchanged, and ends an echo', () => {
  const run = new RecordedRun().raw('a\nb\n').raw('\u0000PNG', 'stdout', { truncated: true, lines: 7 }).raw('c\n');
  const messages = run.final('a\nb\nc').status('succeeded').fold();
  expect(raws(messages)).toEqual([
    { text: 'a\nb\n', lines: 2, raw_ref: range(0, 4) },
    { text: '\u0000PNG', lines: 7, truncated: true, raw_ref: range(4, 8) },
    { text: 'c\n', lines: 1, raw_ref: range(8, 10) },
  ]);
});

const ENGINE = { engine: 'gemini', parser: 'gemini_json', stream: 'stdout', confidence: 0.9 };

test('the output of a plain command is not held back, because it has no messages to repeat', () => {
  const run = new RecordedRun().status('running');
  run.event('raw.stdout', { text: 'a\n', lines: 1 });
  expect(raws(run.fold()).map(({ text }) => text)).toEqual(['a\n']);
});

test('if characters cannot be mapped to bytes, parts of a block keep the bytes of the whole block', () => {
  const run = new RecordedRun();
  const raw_ref = range(0, 100);
  run.event('raw.stdout', { text: '\ufffd\na\nb\nc\n', lines: 4 }, { raw_ref, source: ENGINE });
  const messages = run.final('a\nb\nc').status('succeeded').fold();
  expect(raws(messages)).toEqual([{ text: '\ufffd\n', lines: 1, raw_ref }]);
  expect(ofType(messages, 'diagnostic.warning')[0]?.raw_ref).toEqual(raw_ref);
});

test('output without a position in a file is compared as well', () => {
  const run = new RecordedRun();
  for (const line of ['a\n', 'b\n', 'c\n']) run.event('raw.stdout', { text: line, lines: 1 }, { source: ENGINE });
  const messages = run.final('a\nb\nc').status('succeeded').fold();
  expect(suppressedCounts(messages)).toEqual([3]);
  expect(ofType(messages, 'diagnostic.warning')[0]?.raw_ref).toBeNull();
});
