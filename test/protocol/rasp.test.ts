import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ZodError } from 'zod';
import {
  isEvent,
  isRaspType,
  parseRaspEvent,
  type RaspType,
  raspDataSchemas,
  raspEventSchema,
} from '../../src/protocol/index.ts';
import { raspData, raspEvent, SHA256 } from './samples.ts';

const types = Object.keys(raspDataSchemas) as RaspType[];

test.each(types)('a valid event of type %s is accepted', (type) => {
  const event = raspEvent(type);
  expect(parseRaspEvent(event)).toEqual(event);
  expect(raspEventSchema().parse(event)).toEqual(event);
});

test('an event can be written as a line and read back', () => {
  const text = fc.string({ unit: 'binary' });
  const range = fc
    .record({
      attempt_number: fc.nat(9).map((n) => n + 1),
      stream: fc.constantFrom('stdin', 'stdout', 'stderr', 'pty'),
      byte_from: fc.maxSafeNat(),
      byte_to: fc.maxSafeNat(),
    })
    .map(({ byte_from, byte_to, ...rest }) => ({
      ...rest,
      byte_from: Math.min(byte_from, byte_to),
      byte_to: Math.max(byte_from, byte_to),
    }));
  const changes = fc.record({
    seq: fc.maxSafeNat().map((n) => Math.max(1, n)),
    ts: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    data: fc.record({ text, lines: fc.nat() }),
    raw_ref: fc.oneof(fc.constant(null), range, fc.array(range, { minLength: 1, maxLength: 3 })),
    correlation: fc.record({ session_id: text, message_id: text, other: fc.jsonValue() }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(changes, (change) => {
      const line = JSON.stringify(raspEvent('raw.stdout', change));
      expect(parseRaspEvent(JSON.parse(line))).toEqual(JSON.parse(line));
    }),
  );
});

test.each(Object.keys(raspEvent('raw.stdout')))('an event without %s is refused', (key) => {
  const { [key as 'seq']: _, ...rest } = raspEvent('raw.stdout');
  expect(() => parseRaspEvent(rest)).toThrow(ZodError);
});

test.each([
  ['an unknown field', { surprise: 1 }],
  ['another version of the protocol', { protocol_version: 'rasp/2.0' }],
  ['seq 0', { seq: 0 }],
  ['a seq that is not an integer', { seq: 1.5 }],
  ['a time without its zone', { ts: '2026-11-15T08:30:00' }],
  ['attempt 0', { attempt_number: 0 }],
  ['a confidence above 1', { source: { engine: 'text', parser: 'text', stream: null, confidence: 1.1 } }],
  ['an unknown stream', { source: { engine: 'text', parser: 'text', stream: 'stdlog', confidence: 1 } }],
  ['an empty list of ranges', { raw_ref: [] }],
  ['a range before the start', { raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: -1, byte_to: 0 } }],
  ['a chain value in capitals', { chain: SHA256.toUpperCase() }],
  ['data of another type', { data: raspData['artifact.created'] }],
  ['data with an unknown field', { data: { text: '', lines: 0, colour: 'red' } }],
  ['an unknown type', { event: { category: 'raw', type: 'raw.stdlog' } }],
  ['a type named like a built-in property', { event: { category: 'constructor', type: 'constructor' } }],
  ['a category that is not the type’s', { event: { category: 'agent', type: 'raw.stdout' } }],
])('an event with %s is refused', (_, change) => {
  const event = raspEvent('raw.stdout', change);
  expect(() => parseRaspEvent(event)).toThrow(ZodError);
  expect(raspEventSchema().safeParse(event).success).toBe(false);
});

test.each([null, undefined, 7, 'raw.stdout', [], {}])('%j is not an event', (value) => {
  expect(() => parseRaspEvent(value)).toThrow(ZodError);
});

test('the error names the invalid field', () => {
  const paths = (change: Record<string, unknown>) => {
    try {
      parseRaspEvent(raspEvent('raw.stdout', change));
      return [];
    } catch (error) {
      return (error as ZodError).issues.map(({ path }) => path.join('.'));
    }
  };
  expect(paths({ seq: 'one' })).toEqual(['seq']);
  expect(paths({ event: { category: 'raw', type: 'raw.nothing' } })).toEqual(['event.type']);
  expect(paths({ data: { text: 'a', lines: 'one' } })).toEqual(['lines']);
});

test('a type is category.subject or category.subject.what, in lower case', () => {
  for (const type of types) expect(type).toMatch(/^[a-z]+(\.[a-z_]+){1,2}$/);
  expect([...new Set(types.map((type) => type.split('.')[0]))]).toEqual([
    'lifecycle',
    'agent',
    'interaction',
    'tool',
    'artifact',
    'diagnostic',
    'raw',
  ]);
});

test('type guards distinguish types', () => {
  expect(isRaspType('raw.pty')).toBe(true);
  expect(isRaspType('toString')).toBe(false);
  const event = raspEvent('artifact.created');
  expect(isEvent(event, 'artifact.created') && event.data.path).toBe('a.txt');
  expect(isEvent(event, 'artifact.deleted')).toBe(false);
});
