import { inspect } from 'node:util';
import { APICallError, JSONParseError, LoadAPIKeyError, TypeValidationError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toModelFailure } from '../../../../src/agent/models/failure/to-model-failure.ts';
import { proofSize } from '../../../support/proof-size.ts';

interface Answer {
  status: number;
  body?: object | string;
  headers?: Record<string, string>;
}

/** As the provider packages throw it. */
function apiError({ status, body = {}, headers = {} }: Answer): APICallError {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  const url = 'https://api.example.com/v1/chat?key=hidden-in-url';
  const requestBodyValues = { messages: ['the prompt'] };
  return new APICallError({
    message: 'statusText',
    url,
    requestBodyValues,
    statusCode: status,
    responseHeaders: headers,
    responseBody,
  });
}

const errorOf = (answer: Answer) => toModelFailure(apiError(answer)).error;
const openai = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });
const claude = (type: string, message: string) => ({ type: 'error', error: { type, message } });

describe('what a failure is about', () => {
  it.each<[string, Answer, object]>([
    [
      '429',
      {
        status: 429,
        body: openai('Rate limit reached for gpt-5: Limit 30000, Used 29000, Requested 2000. Please try again in 2s.', {
          code: 'rate_limit_exceeded',
        }),
      },
      { kind: 'rate_limited', retryable: true },
    ],
    ['429 without a body', { status: 429, body: '' }, { kind: 'rate_limited', retryable: true }],
    [
      '429 of Bedrock',
      { status: 429, body: { message: 'Too many tokens, please wait before trying again.' } },
      { kind: 'rate_limited', retryable: true },
    ],
    [
      'an exhausted quota',
      { status: 429, body: openai('You exceeded your current quota', { code: 'insufficient_quota' }) },
      { kind: 'rate_limited', retryable: false },
    ],
    ['402', { status: 402, body: openai('Insufficient Balance') }, { kind: 'rate_limited', retryable: false }],
    ['503', { status: 503, body: '<html>busy</html>' }, { kind: 'overloaded', retryable: true }],
    ['529', { status: 529, body: claude('overloaded_error', 'Overloaded') }, { kind: 'overloaded', retryable: true }],
    [
      '401',
      { status: 401, body: claude('authentication_error', 'invalid x-api-key') },
      { kind: 'auth', retryable: false },
    ],
    ['403', { status: 403, body: claude('permission_error', 'no') }, { kind: 'auth', retryable: false }],
    [
      '400',
      { status: 400, body: openai("Unsupported value: 'temperature'", { code: 'unsupported_value' }) },
      { kind: 'invalid_request', retryable: false },
    ],
    [
      '404',
      { status: 404, body: openai('The model `x` does not exist', { code: 'model_not_found' }) },
      { kind: 'invalid_request', retryable: false },
    ],
    [
      '422 of a Python server',
      { status: 422, body: { detail: 'messages: field required' } },
      { kind: 'invalid_request', retryable: false },
    ],
    ['500', { status: 500, body: claude('api_error', 'Internal server error') }, { kind: 'unknown', retryable: true }],
    ['502', { status: 502, body: '<html>Bad Gateway</html>' }, { kind: 'unknown', retryable: true }],
    ['504', { status: 504 }, { kind: 'timeout', retryable: true }],
    ['408', { status: 408 }, { kind: 'timeout', retryable: true }],
    [
      'a service that says not to retry',
      { status: 500, headers: { 'X-Should-Retry': 'false' } },
      { kind: 'unknown', retryable: false },
    ],
  ])('%s', (_, answer, expected) => {
    expect(errorOf(answer)).toMatchObject({ ...expected, status: answer.status });
  });

  it.each([
    [
      'OpenAI, chat',
      400,
      openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
        { code: 'context_length_exceeded' },
      ),
    ],
    [
      'OpenAI, responses',
      400,
      openai('Your input exceeds the context window of this model. Please adjust your input and try again.', {
        code: 'context_length_exceeded',
      }),
    ],
    [
      'OpenAI, more than a minute allows',
      429,
      openai(
        'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 60000. The input or output tokens must be reduced in order to run successfully.',
        { code: 'rate_limit_exceeded' },
      ),
    ],
    ['Anthropic', 400, claude('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum')],
    [
      'Anthropic, with the answer',
      400,
      claude(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      ),
    ],
    ['Anthropic, bytes', 413, claude('request_too_large', 'Request exceeds the maximum size')],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    ['vLLM, newer', 400, openai('The decoder prompt (length 5023) is longer than the maximum model length of 4096.')],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      'LM Studio',
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
    ],
    ['Ollama', 400, openai('prompt too long; exceeded max context length by 4 tokens')],
    [
      'Gemini',
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    [
      'Mistral',
      400,
      {
        object: 'error',
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      },
    ],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    [
      'TGI',
      422,
      {
        error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000',
        error_type: 'validation',
      },
    ],
    [
      'Groq',
      413,
      openai('Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000', {
        code: 'rate_limit_exceeded',
      }),
    ],
    ['Bedrock', 400, { message: 'Input is too long for requested model.' }],
    ['Moonshot', 400, openai('Invalid request: Your request exceeded model token limit: 131072')],
    ['a server that says 500', 500, openai('context length exceeded')],
  ])('a prompt that is too long, in the words of %s', (_, status, body) => {
    expect(errorOf({ status, body })).toMatchObject({ kind: 'context_overflow', retryable: false, status });
  });

  it.each([
    [400, openai('max_tokens is too large: 100000. This model supports at most 16384 completion tokens.')],
    [
      400,
      openai(
        '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      ),
    ],
    [
      400,
      openai(
        "Invalid schema for response_format 'output': context=(), 'additionalProperties' is required to be false.",
      ),
    ],
    [
      429,
      openai('Rate limit reached: tokens per min. Limit 30000, Used 29999, Requested 5000. Please try again in 8s.'),
    ],
    [401, openai('prompt is too long, said someone without a key')],
  ])('a %s that only speaks of lengths is not an overflow', (status, body) => {
    expect(errorOf({ status, body }).kind).not.toBe('context_overflow');
  });

  it.each<[string, unknown, object]>([
    [
      'an overload in the middle of a stream',
      { type: 'overloaded_error', message: 'Overloaded' },
      { kind: 'overloaded', retryable: true },
    ],
    [
      'a rate limit in a stream',
      { message: 'slow down', code: 429 },
      { kind: 'rate_limited', retryable: true, status: 429 },
    ],
    [
      'a failed response of OpenAI',
      {
        type: 'response.failed',
        statusCode: 500,
        message: 'x',
        data: { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
      },
      { kind: 'unknown', retryable: true },
    ],
    [
      'an overflow in a stream',
      { type: 'invalid_request_error', message: 'prompt is too long: 1 > 0' },
      { kind: 'context_overflow' },
    ],
    ['a text', 'something broke', { kind: 'unknown', retryable: false }],
    ['nothing', undefined, { kind: 'unknown', retryable: false }],
    ['a refused connection', wrapped('ECONNREFUSED'), { kind: 'network', retryable: true }],
    ['a reset connection', wrapped('ECONNRESET'), { kind: 'network', retryable: true }],
    ['an unknown host', wrapped('ENOTFOUND'), { kind: 'network', retryable: true }],
    ['a closed socket', wrapped('UND_ERR_SOCKET'), { kind: 'network', retryable: true }],
    [
      'a certificate that is not trusted',
      wrapped('DEPTH_ZERO_SELF_SIGNED_CERT'),
      { kind: 'network', retryable: false },
    ],
    ['no answer for minutes', wrapped('UND_ERR_HEADERS_TIMEOUT'), { kind: 'timeout', retryable: true }],
    ['a body that broke off', new TypeError('terminated'), { kind: 'network', retryable: true }],
    [
      'a broken frame',
      new JSONParseError({ text: '{"a', cause: new SyntaxError('x') }),
      { kind: 'network', retryable: true },
    ],
    ['a missing key', new LoadAPIKeyError({ message: 'no key' }), { kind: 'auth', retryable: false }],
    [
      'an error in the shape of another API',
      new TypeValidationError({ value: { error: { message: 'prompt is too long' } }, cause: null }),
      { kind: 'context_overflow' },
    ],
    ['a bug', new RangeError('oops'), { kind: 'unknown', retryable: false }],
  ])('%s', (_, error, expected) => {
    expect(toModelFailure(error).error).toMatchObject(expected);
  });
});

function wrapped(code: string): Error {
  const cause = Object.assign(new Error(`low level ${code}`), { code });
  return new APICallError({
    message: `Cannot connect to API: ${cause.message}`,
    url: 'http://x',
    requestBodyValues: {},
    cause,
  });
}

describe('how long a service asks to wait', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const wait = (headers: Record<string, string>) =>
    toModelFailure(apiError({ status: 429, headers }), { now }).error.retry_after_ms;

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'Retry-After': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('%o', (headers, expected) => {
    expect(wait(headers as Record<string, string>)).toBe(expected);
  });
});

describe('the message of a failure', () => {
  const secret = 'tk_live_4f9a8b7c6d5e';

  it('says what failed and quotes the service', () => {
    const { message } = errorOf({ status: 404, body: openai('The model `x` does not exist') });
    expect(message).toBe('the model service rejected the request (404): The model `x` does not exist');
  });

  it('hides keys, headers and queries, wherever they are quoted', () => {
    const body = openai(
      `Incorrect API key provided: sk-abc****wxyz. You sent Authorization: Bearer ${secret} and ${secret} to https://user:pass@host/v1?key=${secret}.`,
    );
    const failure = toModelFailure(apiError({ status: 401, body }), { secrets: [secret] });
    expect(failure.message).toBe(
      'the model service rejected the API key (401): Incorrect API key provided: [redacted] You sent Authorization: Bearer [redacted] and [redacted] to https://host/v1',
    );
    const shown = inspect(failure, { depth: 9 });
    for (const hidden of [secret, 'sk-abc', 'user:pass', 'the prompt', 'hidden-in-url'])
      expect(shown).not.toContain(hidden);
  });

  it('hides a known secret in any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const body = openai(`${before}${secret}${after}`);
        expect(toModelFailure(apiError({ status: 400, body }), { secrets: [secret] }).message).not.toContain(secret);
      }),
      { numRuns: proofSize({ small: 200, full: 10_000 }) },
    );
  });

  it('is one line of limited length, and does not quote a broken response', () => {
    const long = errorOf({ status: 400, body: openai(`a\nb ${'x'.repeat(5000)}`) }).message;
    expect(long).toContain(': a b xxx');
    expect(long.length).toBeLessThan(1100);
    const broken = toModelFailure(new JSONParseError({ text: '{"content":"private', cause: new SyntaxError('x') }));
    expect(broken.message).toBe('the connection to the model service failed: the response cannot be read');
  });

  it('never throws, whatever was thrown', () => {
    const odd = { name: Object.create(null) };
    expect(toModelFailure(odd).error.message).toEqual(expect.any(String));
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, maxDepth: 4 }), (thrown) => {
        expect(toModelFailure(thrown).error.message).toEqual(expect.any(String));
      }),
      { numRuns: proofSize({ small: 500, full: 20_000 }) },
    );
  });
});
