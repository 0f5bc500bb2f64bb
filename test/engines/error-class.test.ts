import { describe, expect, test } from 'vitest';
import { describeError } from '../../src/engines/classify-error.ts';
import { causeOf } from '../../src/engines/error-cause.ts';

describe('the class of an error', () => {
  test.each([
    ['401 from the service', { status: 401 }, 'auth', 'ENGINE_AUTH_REQUIRED'],
    ['no more credit', { status: 402 }, 'usage_limit', 'ENGINE_RATE_LIMITED'],
    ['slow down', { status: 429 }, 'rate_limit', 'ENGINE_RATE_LIMITED'],
    ["You've hit your usage limit.", { status: 429 }, 'usage_limit', 'ENGINE_RATE_LIMITED'],
    ['too much', { status: 413 }, 'context', 'ENGINE_ERROR'],
    ['Please sign in again.', {}, 'auth', 'ENGINE_AUTH_REQUIRED'],
    ['fetch failed', {}, 'network', 'ENGINE_ERROR'],
    ['connect ECONNREFUSED 127.0.0.1:1', {}, 'network', 'ENGINE_ERROR'],
    ['Your input exceeds the context window of this model.', {}, 'context', 'ENGINE_ERROR'],
    ['We’re currently experiencing high demand.', {}, 'server', 'ENGINE_ERROR'],
  ] as const)('of %j with %j is %s', (text, told, error_class, code) => {
    expect(describeError(text, told)).toMatchObject({ code, facts: { error_class } });
  });

  test('comes from the field that names it before the status, and from the status before the sentence', () => {
    const told = { status: 400, kinds: ['invalid_request_error', 'context_length_exceeded'] };
    expect(describeError('Reduce the rate of words.', told).facts.error_class).toBe('context');
    const busy = describeError('The check of your API key timed out.', { status: 503 });
    expect(busy).toMatchObject({ code: 'ENGINE_ERROR', facts: { error_class: 'server', status_code: 503 } });
  });

  test('is left out where nothing tells it', () => {
    expect(describeError('The tool is not known.')).toEqual({
      code: 'ENGINE_ERROR',
      message: 'The tool is not known.',
      facts: {},
    });
  });
});

describe('the cause of an error', () => {
  test.each([
    [
      '{"error":{"message":"no","type":"a","code":"b"},"status":400}',
      { message: 'no', status: 400, kinds: ['a', 'b'] },
    ],
    ['429: {"message":"slow","code":"c"}', { message: 'slow', status: 429, kinds: ['c'] }],
    ['[API Error: {"error":{"code":500,"message":"bad"}}]', { message: 'API Error: bad', status: 500, kinds: [] }],
    ['unexpected status 401 Unauthorized: no', { message: 'unexpected status 401 Unauthorized: no', status: 401 }],
    [
      '{"error":{"message":"{\\"error\\":{\\"message\\":\\"in\\",\\"status\\":\\"X\\"}}"}}',
      { message: 'in', kinds: ['X'] },
    ],
    ['use {braces} here', { message: 'use {braces} here', status: null, kinds: [] }],
    ['{"message":7}', { message: '{"message":7}', status: null, kinds: [] }],
  ])('of %j is found', (text, cause) => expect(causeOf(text)).toMatchObject(cause));
});
