import { expect, test } from 'vitest';
import { type FcmpType, fcmpDataSchemas, fcmpMessageSchema } from '../../src/protocol/index.ts';
import { fcmpMessage } from './samples.ts';

const schema = fcmpMessageSchema();

test.each(Object.keys(fcmpDataSchemas) as FcmpType[])('a valid message of type %s is accepted', (type) => {
  const message = fcmpMessage(type);
  expect(schema.parse(message)).toEqual(message);
});

test.each([
  ['an unknown field', { surprise: 1 }],
  ['another version of the protocol', { protocol_version: 'fcmp/2.0' }],
  ['seq 0', { seq: 0 }],
  ['no source event', { meta: { attempt: 1, confidence: 1, rasp_seq: 0 } }],
  ['data of another type', { data: { session_id: 's' } }],
  ['an unknown type', { type: 'assistant.message' }],
])('a message with %s is refused', (_, change) => {
  expect(schema.safeParse(fcmpMessage('user.message', change)).success).toBe(false);
});

test('a conversation changes between states of a run', () => {
  const change = (from: unknown, to: unknown) =>
    schema.safeParse(fcmpMessage('conversation.state.changed', { data: { from, to, reason_code: 'X' } })).success;
  expect(change('running', 'waiting_user')).toBe(true);
  expect(change(null, 'queued')).toBe(true);
  expect(change('running', null)).toBe(false);
  expect(change('running', 'completed')).toBe(false);
});
