import { describe, expect, test } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import type { RaspDraft } from '../../../src/protocol/index.ts';
import { EndObserver } from '../../../src/runs/completion/end-evidence.ts';
import { parserContext, readLogs } from '../read-log.ts';
import { lines } from '../stream-json-laws.ts';

const read = (engine: string, ...events: unknown[]) =>
  readLogs(engineOf(engine).parser.create(parserContext(engine)), { stdout: lines(...events) });
const errorsOf = (drafts: readonly RaspDraft[]) =>
  drafts.filter(({ event }) => event.type === 'diagnostic.engine.error').map(({ data }) => data);
const failureOf = (engine: string, drafts: readonly RaspDraft[]) => {
  const observer = new EndObserver(engineOf(engine));
  observer.observe(drafts);
  return observer.evidence.failure?.detail ?? null;
};

const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
const say = (text: string, more: object = {}, message: object = {}) => ({
  type: 'assistant',
  session_id: 's',
  parent_tool_use_id: null,
  message: { id: `msg ${text}`, role: 'assistant', model: 'm', content: [{ type: 'text', text }], ...message },
  ...more,
});
const synthetic = (text: string, more: object = {}) =>
  say(text, { error: 'server_error', ...more }, { model: '<synthetic>' });
const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 's',
  ...more,
});

describe('a failure that a result calls a success', () => {
  test('is a failure all the same', () => {
    const drafts = read(
      'qwen',
      init,
      say('[API Error: 401 no such key]'),
      result({ result: '[API Error: 401 no such key]' }),
    );
    expect(failureOf('qwen', drafts)).toBe('result.error');
    expect(errorsOf(drafts)).toMatchObject([{ code: 'ENGINE_AUTH_REQUIRED', message: '[API Error: 401 no such key]' }]);
    const claude = read('claude', init, synthetic('Not today'), result({ result: 'Not today' }));
    expect(failureOf('claude', claude)).toBe('result.error');
  });

  test('is none when the model has answered since', () => {
    const drafts = read('claude', init, synthetic('Not today'), say('Here I am again.'), result());
    expect(failureOf('claude', drafts)).toBeNull();
    expect(errorsOf(drafts)).toEqual([]);
  });

  test('is none when only a sub-agent failed', () => {
    const drafts = read('claude', init, synthetic('Not today', { parent_tool_use_id: 'a' }), result());
    expect(failureOf('claude', drafts)).toBeNull();
  });
});

describe('the cause of a failure', () => {
  test.each([
    ['the status', { api_error_status: 500, result: 'authentication quota 401' }, 'ENGINE_ERROR'],
    ['the status of a used-up account', { api_error_status: 402, result: 'pay' }, 'ENGINE_RATE_LIMITED'],
    ['the text without a status', { result: 'quota exceeded' }, 'ENGINE_RATE_LIMITED'],
  ])('is read from %s', (_where, more, code) => {
    expect(errorsOf(read('claude', init, result({ is_error: true, ...more })))).toMatchObject([{ code }]);
  });

  test('is the kind that claude names before the result, rather than the text', () => {
    const drafts = read('claude', init, synthetic('oauth quota'), result({ is_error: true, result: 'oauth quota' }));
    expect(errorsOf(drafts)).toMatchObject([{ code: 'ENGINE_ERROR' }]);
  });

  test.each([
    ['authentication_failed', 'auth', 'ENGINE_AUTH_REQUIRED'],
    ['oauth_org_not_allowed', 'auth', 'ENGINE_AUTH_REQUIRED'],
    ['rate_limit', 'rate_limit', 'ENGINE_RATE_LIMITED'],
    ['billing_error', 'usage_limit', 'ENGINE_RATE_LIMITED'],
    ['server_error', 'server', 'ENGINE_ERROR'],
    ['overloaded', 'server', 'ENGINE_ERROR'],
    ['invalid_request', undefined, 'ENGINE_ERROR'],
    ['max_output_tokens', undefined, 'ENGINE_ERROR'],
  ])('%s is of class %s, whatever the text says', (kind, error_class, code) => {
    const text = 'quota of the api key, 500';
    const drafts = read('claude', init, synthetic(text, { error: kind }), result({ is_error: true, result: text }));
    expect(errorsOf(drafts)).toEqual([
      { code, message: text, severity: 'error', subtype: 'success', ...(error_class ? { error_class } : {}) },
    ]);
    expect(errorsOf(read('claude', init, synthetic(text, { error: kind })))).toMatchObject([{ code }]);
  });

  test('is the more precise word beside that kind', () => {
    const told = { api_error: 'connection_failed' };
    const failed = synthetic('No route', { ...told, is_api_error_message: true });
    const drafts = read('claude', init, failed, result({ ...told, is_error: true, result: 'No route' }));
    expect(errorsOf(drafts)).toMatchObject([{ error_class: 'network' }]);
    expect(errorsOf(read('claude', init, failed))).toMatchObject([{ error_class: 'network' }]);
    const unknown = synthetic('No route', { api_error: 'flux' });
    expect(errorsOf(read('claude', init, unknown))).toMatchObject([{ error_class: 'server' }]);
  });

  test('is a prompt that is too long, of which only the text tells', () => {
    const text = 'Prompt is too long';
    const drafts = read('claude', init, synthetic(text, { error: 'invalid_request' }), result({ is_error: true }));
    expect(errorsOf(drafts)).toMatchObject([{ code: 'ENGINE_ERROR', message: text, error_class: 'context' }]);
  });

  test('is the message of an answer that the text quotes', () => {
    const text = 'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"no such key"}}';
    expect(
      errorsOf(read('claude', init, result({ is_error: true, api_error_status: 401, result: text }))),
    ).toMatchObject([
      { code: 'ENGINE_AUTH_REQUIRED', message: 'API Error: 401 no such key', error_class: 'auth', status_code: 401 },
    ]);
  });

  test('is the interruption, not what claude tells its developers', () => {
    const stopped = {
      type: 'user',
      session_id: 's',
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    };
    const failed = { subtype: 'error_during_execution', is_error: true, errors: ['[ede_diagnostic] result_type=user'] };
    expect(errorsOf(read('claude', init, stopped, result(failed)))).toMatchObject([
      { message: '[Request interrupted by user]' },
    ]);
    expect(errorsOf(read('claude', init, result(failed)))).toMatchObject([
      { message: '[ede_diagnostic] result_type=user' },
    ]);
    const later = read('claude', init, stopped, result(), init, result(failed));
    expect(errorsOf(later)).toMatchObject([{ message: '[ede_diagnostic] result_type=user' }]);
  });
});

describe('a retry', () => {
  test.each([
    ['claude', { subtype: 'api_retry', error: 'overloaded', error_status: 529, attempt: 1 }],
    ['claude', { subtype: 'api_error', error: { status: 529, message: 'overloaded' }, retry_attempt: 1 }],
  ])('of %s is told with its status: %j', (engine, retry) => {
    expect(errorsOf(read(engine, init, { type: 'system', session_id: 's', ...retry }))).toEqual([
      {
        code: 'ENGINE_RETRY',
        message: 'overloaded',
        severity: 'warning',
        attempt: 1,
        error_class: 'server',
        status_code: 529,
      },
    ]);
  });
});
