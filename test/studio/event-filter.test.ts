import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFilter, parseFilter, toggleTerm } from '../../studio/model/events/event-filter.ts';
import { eventMatcher, filterProblem } from '../../studio/model/events/event-match.ts';
import { event } from './evidence-events.ts';

const message = event({ type: 'agent.message.final', data: { message_id: 'm1', text: 'Hello "World": all done' } });
const call = event({
  type: 'tool.call.started',
  data: { call_id: 'abc', name: 'run', arguments: { command: ['ls'] } },
  attempt: 2,
  stream: 'stdout',
  correlation: { call_id: 'abc' },
  raw_ref: { attempt_number: 2, stream: 'stdout', byte_from: 0, byte_to: 9 },
});
const unsure = event({ type: 'raw.stderr', data: { text: 'oh no', lines: 1 }, stream: 'stderr', confidence: 0.4 });

function shown(filter: string): string[] {
  const matches = eventMatcher(parseFilter(filter));
  const names = { message, call, unsure };
  return Object.entries(names).flatMap(([name, one]) => (matches(one) ? [name] : []));
}

test('each key filters the events', () => {
  expect(shown('')).toEqual(['message', 'call', 'unsure']);
  expect(shown('event:tool.*')).toEqual(['call']);
  expect(shown('event:TOOL.call.started')).toEqual(['call']);
  expect(shown('event:tool')).toEqual([]);
  expect(shown('source:stderr')).toEqual(['unsure']);
  expect(shown('attempt:2')).toEqual(['call']);
  expect(shown('confidence:<0.7')).toEqual(['unsure']);
  expect(shown('call:abc')).toEqual(['call']);
  expect(shown('has:raw')).toEqual(['call']);
  expect(shown('-event:raw.*')).toEqual(['message', 'call']);
});

test('free text is searched in the content of events, quotes keep words together', () => {
  expect(shown('world')).toEqual(['message']);
  expect(shown('"hello \\"world\\": all"')).toEqual(['message']);
  expect(shown('"done hello"')).toEqual([]);
  expect(shown('done hello')).toEqual(['message']);
  expect(shown('-hello -ls')).toEqual(['unsure']);
});

test('terms are combined with AND, but several types with OR', () => {
  expect(shown('event:tool.* event:agent.*')).toEqual(['message', 'call']);
  expect(shown('event:tool.* event:agent.* attempt:1')).toEqual(['message']);
  expect(shown('confidence:>0.3 confidence:<0.5')).toEqual(['unsure']);
});

test('an invalid term is reported and ignored', () => {
  const problems = parseFilter('evnt:tool confidence:high has:feet attempt: event:*').map(filterProblem);
  expect(problems.map((problem) => problem?.kind)).toEqual([
    'unknown-key',
    'bad-value',
    'bad-value',
    'bad-value',
    undefined,
  ]);
  expect(shown('evnt:tool confidence:high')).toEqual(['message', 'call', 'unsure']);
  expect(parseFilter('http://localhost:1 constructor:x').map(filterProblem)).toEqual([
    null,
    { kind: 'unknown-key', key: 'constructor' },
  ]);
});

test('a chip adds its term and removes it again', () => {
  const term = { negated: false, key: 'event', value: 'tool.*' };
  expect(toggleTerm('"two words"', term)).toBe('"two words" event:tool.*');
  expect(toggleTerm('"two words" event:tool.*', term)).toBe('"two words"');
});

test('any text is a valid filter, and formatting and parsing a filter is lossless', () => {
  const typed = fc.stringMatching(/^[-a-c:"\\ */<0.7~\u3000]{0,24}$/);
  const keyed = fc
    .tuple(fc.constantFrom('event', 'confidence', 'has', 'x'), typed)
    .map(([key, value]) => `${key}:${value}`);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), typed, keyed), (text) => {
      const terms = parseFilter(text);
      expect(parseFilter(formatFilter(terms))).toEqual(terms);
      terms.map(filterProblem);
      eventMatcher(terms)(message);
    }),
    { numRuns: 400 },
  );
});
