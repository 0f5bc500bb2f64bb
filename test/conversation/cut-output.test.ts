import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConversation, foldConversation } from '../../src/conversation/index.ts';
import { createCodexParser } from '../../src/engines/codex/parser.ts';
import { type ByteRange, type FcmpMessage, isRaw, type RaspEvent, rawText } from '../../src/protocol/index.ts';
import { foldBatch, type RecordFiles, withWholeTexts } from '../../src/record/index.ts';
import { parserContext, readLogs } from '../engines/read-log.ts';
import { collect } from '../journal/workspace.ts';
import { raspEvent } from '../protocol/samples.ts';
import { filesInMemory } from '../record/files-in-memory.ts';
import { proofSize } from '../support/proof-size.ts';

const RUN_ID = '20261115T083000-text-3f2a9c1b';
const LINES = ['first line', 'second 行', 'third', '', '  indented', 'é'.repeat(700), 'x'.repeat(900)];

/** The events of a log, as they are read back from the journal. */
function eventsOf(log: Buffer): RaspEvent[] {
  const drafts = readLogs(createCodexParser(parserContext('codex')), { stdout: log });
  const end = { state: 'completed', reason_code: 'X', source: 'engine', confidence: 1, needs_user_input: false };
  const ended = raspEvent('lifecycle.completion.state', { data: { ...end, diagnostics: [] }, raw_ref: null });
  return [...drafts, ended].map((draft, at) => JSON.parse(JSON.stringify({ ...draft, run_id: RUN_ID, seq: at + 1 })));
}

/** As a version would have written it that kept all output in events. */
function inline(events: readonly RaspEvent[], log: Buffer): RaspEvent[] {
  return events.map((event) => {
    if (!isRaw(event)) return event;
    const { byte_from, byte_to } = event.raw_ref as ByteRange;
    const { truncated: _cut, text: _beginning, ...data } = event.data;
    return { ...event, data: { ...rawText(log.subarray(byte_from, byte_to)), ...data } } as RaspEvent;
  });
}

const say = (text: string) =>
  `${JSON.stringify({ type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text } })}\n`;
const whole = (messages: readonly FcmpMessage[], files: RecordFiles) => collect(withWholeTexts(files, messages));
const asFold = (events: readonly RaspEvent[], files: RecordFiles) =>
  foldBatch(createConversation({ run_id: RUN_ID }), events, files);

describe('a conversation with output that events refer to', () => {
  test('is the same, with whole texts, as one with all output in its events', async () => {
    const line = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...LINES).map((text) => Buffer.from(`${text}\n`)) },
      { weight: 1, arbitrary: fc.constantFrom(Buffer.from([0xe9, 0x0a]), Buffer.alloc(1500, 0x80)) },
      {
        weight: 2,
        arbitrary: fc
          .array(fc.constantFrom(...LINES), { minLength: 3, maxLength: 6 })
          .map((said) => Buffer.from(say(said.join('\n')))),
      },
    );
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const log = Buffer.concat(lines);
        const files = filesInMemory(RUN_ID, { 'stdout.1.log': log });
        const events = eventsOf(log);
        const messages = await asFold(events, files);
        cut += messages.filter(({ data }) => 'truncated' in data).length;
        expect(await whole(messages, files)).toEqual(foldConversation(inline(events, log)));
      }),
      { numRuns: proofSize({ small: 100, full: 2000 }) },
    );
    expect(cut).toBeGreaterThan(0);
  });

  test('leaves out an echo that begins after what an event shows', async () => {
    const said = ['one thing', 'another thing', 'a third thing'];
    const log = Buffer.from(`${say(said.join('\n'))}${'noise\n'.repeat(300)}${said.join('\n')}\nthe end\n`);
    const files = filesInMemory(RUN_ID, { 'stdout.1.log': log });
    const messages = await asFold(eventsOf(log), files);
    expect(messages.map(({ type }) => type)).toEqual([
      'assistant.message.final',
      'raw.stdout',
      'diagnostic.warning',
      'raw.stdout',
    ]);
    expect(messages[1]!.data).toMatchObject({ lines: 300, truncated: true });
    expect(messages[3]!.data).toEqual({ text: 'the end\n', lines: 1 });
    const [, before] = await whole(messages, files);
    expect(before!.data).toEqual({ text: 'noise\n'.repeat(300), lines: 300 });
  });

  test('says how many bytes of cut output were masked', async () => {
    const data = { text: 'x'.repeat(1024), lines: 1, truncated: true, masked: 6 };
    const text = `${'x'.repeat(2000)}******\n`;
    for (const whole of [text, undefined]) {
      expect(messagesOf([{ data, whole }])).toEqual([data]);
    }
  });

  test('has all of a part of output in which bytes were masked', async () => {
    const said = 'one thing\nanother thing\na third thing\n';
    const rest = `${'x'.repeat(2000)}******\n`;
    const data = { text: `${said}${rest}`.slice(0, 1024), lines: 4, truncated: true, masked: 6 };
    expect(messagesOf([{ data, whole: said + rest }], said)).toContainEqual({ text: rest, lines: 1 });
  });
});

/** The data of the messages of raw output, after a message of the engine. */
function messagesOf(output: { data: object; whole: string | undefined }[], said?: string): unknown[] {
  const source = { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.3 } as const;
  const conversation = createConversation({ run_id: RUN_ID });
  const final = raspEvent('agent.message.final', { data: { message_id: 'm', text: said ?? '' }, source });
  const events = output.map(({ data }, at) => ({
    ...raspEvent('raw.stdout', { data, source }),
    seq: at + 2,
  }));
  const messages = [
    ...(said === undefined ? [] : conversation.push(final)),
    ...events.flatMap((event, at) => conversation.push(event as RaspEvent, output[at]!.whole)),
    ...conversation.push({ ...final, seq: events.length + 2, attempt_number: 2 } as RaspEvent),
  ];
  return messages.filter(({ type }) => type === 'raw.stdout').map(({ data }) => data);
}
