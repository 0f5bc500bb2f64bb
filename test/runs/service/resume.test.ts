import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { FIRST_ATTEMPT } from '../../../src/runs/request/attempt-order.ts';
import { continueFix, replyTo } from '../../../src/runs/service/resume.ts';
import { runRecord } from '../../protocol/samples.ts';

const WAITING: RunRecord = {
  ...runRecord,
  engine: 'gemini',
  status: 'waiting_user',
  attempt: 3,
  mode: 'interactive',
  session_id: 'ses-1',
  launch: {
    model: 'small',
    base_url: 'http://127.0.0.1:8080',
    engine_args: ['--flag'],
    require_marker: true,
    format: 'json',
  },
  live: null,
};
const ASKED = { reopen: false };

describe('replyTo', () => {
  test('continues the session, as the answer to its open question', () => {
    expect(replyTo(WAITING, { text: 'Blue.' }, ASKED)).toEqual({
      ...FIRST_ATTEMPT,
      text: 'Blue.',
      session: 'ses-1',
      interaction_id: '3.1',
    });
  });

  test.each(['succeeded', 'failed', 'canceled', 'running'] as const)('refuses a run that is %s', (status) => {
    expect(() => replyTo({ ...WAITING, status }, { text: 'Blue.' }, ASKED)).toThrow(
      expect.objectContaining({
        code: 'RUN_ENDED',
        facts: { status },
        fix: expect.stringContaining(`tacho resume --reopen ${WAITING.handle}`),
      }),
    );
  });

  test('reopens an ended run on request, with a message that answers no question', () => {
    const reopened = replyTo({ ...WAITING, status: 'succeeded' }, { text: 'More.' }, { ...ASKED, reopen: true });
    expect(reopened).toMatchObject({ session: 'ses-1', interaction_id: null });
  });

  test('answers the open question even with `reopen`', () => {
    expect(replyTo(WAITING, { text: 'Blue.' }, { ...ASKED, reopen: true }).interaction_id).toBe('3.1');
  });

  test.each<[string, Partial<RunRecord>]>([
    ['of a plain command', { engine: 'text' }],
    ['of an unknown engine', { engine: 'unheard-of' }],
    ['that was imported', { launch: undefined }],
    ['that ended before its session was known', { session_id: null }],
  ])('refuses a run %s, which has no session to continue', (_which, changes) => {
    const record = { ...WAITING, ...changes } as RunRecord;
    expect(() => replyTo(record, { text: 'Blue.' }, ASKED)).toThrow(
      expect.objectContaining({ code: 'SESSION_UNKNOWN' }),
    );
  });

  test('never suggests to resume an ended plain command', () => {
    const ended = { ...WAITING, engine: 'text', status: 'succeeded' } as RunRecord;
    expect(continueFix(ended)).toContain(`tacho run --run-dir ${ended.handle}`);
    expect(continueFix({ ...WAITING, status: 'succeeded' })).toContain('tacho resume --reopen');
  });
});
