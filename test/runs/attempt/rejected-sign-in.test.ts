import { expect, test } from 'vitest';
import { claude } from '../../../src/engines/claude/profile.ts';
import type { RaspDraft, RaspType } from '../../../src/protocol/index.ts';
import { watchSignIn } from '../../../src/runs/attempt/rejected-sign-in.ts';
import { parserContext, readLogs } from '../../engines/read-log.ts';
import { raspEvent } from '../../protocol/samples.ts';

const draft = (type: RaspType, data?: object): RaspDraft => raspEvent(type, data ? { data } : {});
const retry = (error_class?: string) =>
  draft('diagnostic.engine.error', { code: 'ENGINE_RETRY', message: 'again', severity: 'warning', error_class });
const rejected = retry('auth');
const limited = retry('rate_limit');
const untold = retry();
const phase = draft('lifecycle.run.status', { status: 'running', phase: 'turn_start' });
const raw = draft('raw.stderr');
const delta = draft('agent.message.delta');
const call = draft('tool.call.started');

test.each<[string, RaspDraft[], boolean]>([
  ['two rejections in a row', [rejected, rejected], true],
  ['two rejections with other output between them', [rejected, phase, raw, rejected], true],
  ['one rejection', [rejected], false],
  ['a rejection, then a message, then a rejection', [rejected, delta, rejected], false],
  ['a rejection, then a tool call, then a rejection', [rejected, call, rejected], false],
  ['a rejection, then a rate limit, then a rejection', [rejected, limited, rejected], false],
  ['retries for other reasons', [limited, limited, untold, untold], false],
])('%s: %s', (_title, drafts, expected) => {
  const isRejected = watchSignIn();
  expect(drafts.map((one) => isRejected([one])).at(-1)).toBe(expected);
  expect(watchSignIn()(drafts)).toBe(expected);
});

test('claude is rejected at the second 401', () => {
  const retried = (attempt: number) =>
    `${JSON.stringify({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 401,
      error: 'authentication_failed',
      session_id: 's',
    })}\n`;
  const read = (stdout: string) => readLogs(claude.parser.create(parserContext('claude')), { stdout });
  expect(watchSignIn()(read(retried(1)))).toBe(false);
  expect(watchSignIn()(read(retried(1) + retried(2)))).toBe(true);
});
