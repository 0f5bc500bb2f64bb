import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TachoError } from '../../src/protocol/index.ts';
import {
  answerText,
  expectsAnswer,
  NO_ADDRESSEE,
  notificationText,
  readRequest,
  refusalText,
} from '../../src/runtime/rpc/message.ts';

const read = (value: unknown) => readRequest(Buffer.from(JSON.stringify(value)));

test('a message is a JSON-RPC 2.0 request', () => {
  expect(read({ jsonrpc: '2.0', id: 1, method: 'system.ping' })).toEqual({
    id: 1,
    method: 'system.ping',
    params: {},
    secret: null,
  });
});

test.each([
  ['without `jsonrpc`', { id: 'a', method: 'system.ping', params: {} }],
  ['without `jsonrpc`, with a secret', { method: 'runtime.status', params: {}, secret: 's' }],
  ['of another version', { jsonrpc: '1.0', id: 1, method: 'system.ping' }],
])('a message %s is refused, and the error shows the right form', (_what, message) => {
  expect(() => read(message)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', fix: expect.stringContaining('"jsonrpc":"2.0"') }),
  );
});

test('answers, refusals and notifications are JSON-RPC 2.0', () => {
  const refusal = new TachoError('SESSION_NOT_FOUND', 'no such session', { facts: { session_id: 's' }, fix: 'Look.' });
  expect(JSON.parse(answerText({ id: 1 }, { a: 1 }))).toEqual({ jsonrpc: '2.0', id: 1, result: { a: 1 } });
  const data = { code: 'SESSION_NOT_FOUND', facts: { session_id: 's' }, fix: 'Look.' };
  expect(JSON.parse(refusalText({ id: 1 }, refusal))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32000, message: 'no such session', data },
  });
  expect(JSON.parse(refusalText({ id: 1 }, new Error('oh'))).error).toMatchObject({
    code: -32603,
    data: { code: 'INTERNAL_ERROR' },
  });
  const text = { exec_id: 'x', data: '"\n', encoding: 'utf8' as const };
  const bytes = { exec_id: 'x', data: '/+8=', encoding: 'base64' as const };
  for (const output of [text, bytes, { ...bytes, data: '' }]) {
    const notification = { jsonrpc: '2.0', method: 'exec.output', params: output };
    expect(JSON.parse(notificationText('exec.output', output))).toEqual(notification);
    expect(notificationText('exec.output', output)).toMatch(/^[^\n]+\n$/);
  }
  expect(expectsAnswer({ id: undefined })).toBe(false);
});

test('any message is either a valid request or refused with a code', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, (line) => {
      try {
        expect(typeof readRequest(line).method).toBe('string');
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
        expect(JSON.parse(refusalText(NO_ADDRESSEE, error)).error.code).toBeLessThanOrEqual(-32600);
      }
    }),
  );
});
