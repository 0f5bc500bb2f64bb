import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createConversation, foldConversation } from '../../src/conversation/index.ts';
import {
  type ByteRange,
  type FcmpMessage,
  fcmpMessageSchema,
  type RaspEvent,
  runStatusSchema,
} from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { ofType, RecordedRun, rawText, suppressedCounts } from './recorded-run.ts';

/** Few words, so that raw lines and final messages often match. */
const line = fc.constantFrom('a', ' b', 'c\r', 'ü→😀', '', '  ', '\u001b[1ma\u001b[0m', 'x', 'unlike any');
const block = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 8 }), fc.constantFrom('', '\n', '\n'))
  .map(([lines, end]) => lines.join('\n') + end);
const final = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ü→😀', '', '```'), { maxLength: 6 })
  .map((lines) => lines.join('\n'));
const stream = fc.constantFrom('stdout', 'stderr', 'pty');

type Step = (run: RecordedRun) => void;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(block, stream).map(
      ([text, name]): Step =>
        (run) =>
          void run.raw(text, name),
    ),
  },
  {
    weight: 3,
    arbitrary: final.map(
      (text): Step =>
        (run) =>
          void run.final(text),
    ),
  },
  {
    weight: 1,
    arbitrary: stream.map(
      (name): Step =>
        (run) =>
          void run.skip(5, name),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...runStatusSchema.options).map(
      (status): Step =>
        (run) =>
          void run.status(status),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      (run) => run.phase('init', { session_id: 's' }),
      (run) => run.nextAttempt(),
      (run) => run.event('agent.message.delta', { message_id: 'm', text: 'a' }),
      (run) => run.event('tool.call.started', { call_id: 'c', name: 'bash' }),
      (run) => run.event('tool.call.completed', { call_id: 'c', name: 'bash' }),
    ),
  },
);
const anyRun = fc.array(step, { maxLength: 40, size: 'max' }).map((steps) => {
  const run = new RecordedRun();
  for (const act of steps) act(run);
  return run.status('canceled').events;
});

test('folding event by event, all at once and again gives the same messages', () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const conversation = createConversation({ run_id: events[0]!.run_id });
      const live = events.flatMap((event) => conversation.push(event));
      expect(foldConversation(events)).toEqual(live);
      expect(foldConversation(structuredClone(events))).toEqual(live);
    }),
  );
});

test('earlier messages never change when more events come', () => {
  fc.assert(
    fc.property(anyRun, fc.nat(), (events, cut) => {
      const some = foldConversation(events.slice(0, cut % (events.length + 1)));
      expect(foldConversation(events).slice(0, some.length)).toEqual(some);
    }),
  );
});

test('messages are numbered without gaps, name their event and are valid', () => {
  const schema = fcmpMessageSchema();
  fc.assert(
    fc.property(anyRun, (events) => {
      foldConversation(events).forEach((message, at) => {
        expect(message.seq).toBe(at + 1);
        const { meta, ts } = message;
        expect([ts, meta.attempt]).toEqual([events[meta.rasp_seq - 1]!.ts, events[meta.rasp_seq - 1]!.attempt_number]);
        schema.parse(message);
      });
    }),
    { numRuns: proofSize({ small: 15, full: 40 }) },
  );
});

test('every entry into a terminal state ends the conversation exactly once', () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const messages = foldConversation(events);
      const ends = {
        succeeded: 'conversation.completed',
        failed: 'conversation.failed',
        canceled: 'conversation.canceled',
      };
      let current: string | null = null;
      const changes = messages.flatMap((message, at) => {
        if (message.type !== 'conversation.state.changed') return [];
        const { from, to } = message.data as FcmpMessage<'conversation.state.changed'>['data'];
        expect(from).toBe(current);
        expect(to).not.toBe(current);
        current = to;
        const end = (ends as Record<string, string>)[to];
        if (end) expect(messages[at + 1]?.type).toBe(end);
        return end ? [end] : [];
      });
      expect(messages.map(({ type }) => type as string).filter((type) => Object.values(ends).includes(type))).toEqual(
        changes,
      );
      expect(messages.filter(({ type }) => type === 'conversation.started').length).toBeLessThanOrEqual(1);
    }),
  );
});

test('every raw byte is in the conversation or in an echo, once and in order', () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const messages = foldConversation(events);
      expect(coverage(messages)).toEqual(mergeTouching(rawEvents(events).map(({ raw_ref }) => raw_ref as ByteRange)));
      for (const { data, raw_ref } of ofType(messages, 'raw.stdout', 'raw.stderr')) {
        const { byte_from, byte_to } = raw_ref as ByteRange;
        expect(Buffer.byteLength(data.text)).toBe(byte_to - byte_from);
      }
    }),
  );
});

test('every raw line is in the conversation or counted in an echo', () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const messages = foldConversation(events);
      let counted = 0;
      for (const { data } of ofType(messages, 'raw.stdout', 'raw.stderr')) counted += data.lines;
      for (const count of suppressedCounts(messages)) counted += count as number;
      let recorded = 0;
      for (const { data } of rawEvents(events)) recorded += data.lines;
      expect(counted).toBe(recorded);
    }),
  );
});

test('lines before a message are left out exactly if three in a row repeat it', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40, size: 'max' }),
      fc.array(fc.nat({ max: 40 })),
      final,
      (lines, cuts, text) => {
        const run = new RecordedRun();
        const ended = lines.map((each) => `${each}\n`);
        const places = [...new Set([0, ...cuts.filter((cut) => cut < lines.length), lines.length])].sort(
          (a, b) => a - b,
        );
        for (const [at, from] of places.slice(0, -1).entries()) run.raw(ended.slice(from, places[at + 1]).join(''));
        const messages = run.final(text).status('succeeded').fold();
        expect(rawText(messages)).toBe(keptLines(ended, text).join(''));
      },
    ),
  );
});

/** The rule in its simplest form: check each sequence between two lines that are not in the message. */
function keptLines(lines: readonly string[], text: string): string[] {
  const plain = (each: string) => each.replaceAll(/\u001b\[\d*m/g, '').trim();
  let inMessage = text.trim().split('\n').map(plain);
  const closing = inMessage.indexOf('```', 1);
  if (inMessage[0] === '```' && closing > 0 && closing === inMessage.length - 1) inMessage = inMessage.slice(1, -1);
  const words = new Set(inMessage.filter(Boolean));
  const kept: string[] = [];
  let stretch: string[] = [];
  const settle = () => {
    const matched = stretch.map((each, at) => (plain(each) ? at : -1)).filter((at) => at >= 0);
    const echo = matched.length >= 3;
    kept.push(...stretch.filter((_, at) => !echo || at < matched[0]! || at > matched.at(-1)!));
    stretch = [];
  };
  for (const each of lines) {
    if (plain(each) === '' || words.has(plain(each))) stretch.push(each);
    else {
      settle();
      kept.push(each);
    }
  }
  settle();
  return kept;
}

function rawEvents(events: readonly RaspEvent[]) {
  return events.filter(({ event }) => event.category === 'raw') as RaspEvent<'raw.stdout'>[];
}

/** The bytes that the conversation covers; overlaps and disorder within a stream would show as extra ranges. */
function coverage(messages: readonly FcmpMessage[]): ByteRange[] {
  const accounting = messages.filter(
    ({ type, data }) => type.startsWith('raw.') || ('code' in data && data.code === 'RAW_DUPLICATE_SUPPRESSED'),
  );
  return mergeTouching(accounting.map(({ raw_ref }) => raw_ref as ByteRange));
}

/** Ranges by attempt and stream, in the given order, with adjacent ones joined. */
function mergeTouching(ranges: readonly ByteRange[]): ByteRange[] {
  const merged: ByteRange[] = [];
  const key = ({ attempt_number, stream: name }: ByteRange) => `${attempt_number}.${name}`;
  for (const each of [...ranges].sort((a, b) => key(a).localeCompare(key(b)))) {
    const last = merged.at(-1);
    if (last && key(last) === key(each) && last.byte_to === each.byte_from) last.byte_to = each.byte_to;
    else merged.push({ ...each });
  }
  return merged;
}
