import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TachoError } from '../../src/protocol/index.ts';
import {
  answerText,
  expectsAnswer,
  NOBODY,
  notificationText,
  readRequest,
  refusalText,
} from '../../src/runtime/rpc/message.ts';

const read = (value: unknown) => readRequest(Buffer.from(JSON.stringify(value)));

test('a message is JSON-RPC by its jsonrpc, and of the older form without', () => {
  expect(read({ jsonrpc: '2.0', id: 1, method: 'system.ping' })).toEqual({
    form: 'json-rpc',
    id: 1,
    method: 'system.ping',
    params: {},
    secret: null,
  });
  expect(read({ id: 'a', method: 'exec.run', params: { command: 'ls' } })).toMatchObject({ form: 'plain', id: 'a' });
  expect(read({ method: 'runtime.status', params: {}, secret: 's' })).toMatchObject({ form: 'plain', secret: 's' });
});

test('answers, refusals and notifications have the form of their request', () => {
  const refusal = new TachoError('SESSION_NOT_FOUND', 'no such session', { facts: { session_id: 's' }, fix: 'Look.' });
  const rpc = { form: 'json-rpc', id: 1 } as const;
  const plain = { form: 'plain', id: 'a' } as const;
  expect(JSON.parse(answerText(rpc, { a: 1 }))).toEqual({ jsonrpc: '2.0', id: 1, result: { a: 1 } });
  expect(JSON.parse(answerText(plain, { a: 1 }))).toEqual({ id: 'a', ok: true, data: { a: 1 } });
  expect(JSON.parse(answerText({ form: 'plain', id: undefined }, {}))).toEqual({ ok: true, data: {} });
  const data = { code: 'SESSION_NOT_FOUND', facts: { session_id: 's' }, fix: 'Look.' };
  expect(JSON.parse(refusalText(rpc, refusal))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32000, message: 'no such session', data },
  });
  expect(JSON.parse(refusalText(plain, refusal))).toEqual({
    id: 'a',
    ok: false,
    error: { ...data, message: 'no such session' },
  });
  expect(JSON.parse(refusalText(rpc, new Error('oh'))).error).toMatchObject({
    code: -32603,
    data: { code: 'INTERNAL_ERROR' },
  });
  const text = { exec_id: 'x', data: '"\n', encoding: 'utf8' as const };
  const bytes = { exec_id: 'x', data: '/+8=', encoding: 'base64' as const };
  for (const output of [text, bytes, { ...bytes, data: '' }]) {
    const notification = { jsonrpc: '2.0', method: 'exec.output', params: output };
    expect(JSON.parse(notificationText(rpc, 'exec.output', output))).toEqual(notification);
    expect(notificationText(rpc, 'exec.output', output)).toMatch(/^[^\n]+\n$/);
    const older = { id: 'a', event: 'exec.output', data: output };
    expect(JSON.parse(notificationText(plain, 'exec.output', output))).toEqual(older);
  }
  expect(expectsAnswer({ form: 'json-rpc', id: undefined })).toBe(false);
});

test('whatever is sent, it is a request or refused by a code, and never anything else', () => {
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
        expect(JSON.parse(refusalText(NOBODY, error)).error.code).toBeLessThanOrEqual(-32600);
      }
    }),
  );
});
