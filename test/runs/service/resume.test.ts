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
  test('continues the session, as the answer to the question it waits with', () => {
    expect(replyTo(WAITING, 'Blue.', ASKED)).toEqual({
      ...FIRST_ATTEMPT,
      text: 'Blue.',
      session: 'ses-1',
      interaction_id: '3.1',
    });
  });

  test.each(['succeeded', 'failed', 'canceled', 'running'] as const)('refuses a run that is %s', (status) => {
    expect(() => replyTo({ ...WAITING, status }, 'Blue.', ASKED)).toThrow(
      expect.objectContaining({
        code: 'RUN_ENDED',
        facts: { status },
        fix: expect.stringContaining(`tacho resume --reopen ${WAITING.handle}`),
      }),
    );
  });

  test('reopens an ended run deliberately, with a message that answers nothing', () => {
    const reopened = replyTo({ ...WAITING, status: 'succeeded' }, 'One more thing.', { ...ASKED, reopen: true });
    expect(reopened).toMatchObject({ session: 'ses-1', interaction_id: null });
  });

  test('answers the question also where it was told to reopen', () => {
    expect(replyTo(WAITING, 'Blue.', { ...ASKED, reopen: true }).interaction_id).toBe('3.1');
  });

  test.each<[string, Partial<RunRecord>]>([
    ['of a plain command', { engine: 'text' }],
    ['of an engine this version does not know', { engine: 'unheard-of' }],
    ['that was imported, and never launched from here', { launch: undefined }],
    ['that ended before it told its session', { session_id: null }],
  ])('refuses a run %s, which has no session to continue', (_which, changes) => {
    const record = { ...WAITING, ...changes } as RunRecord;
    expect(() => replyTo(record, 'Blue.', ASKED)).toThrow(expect.objectContaining({ code: 'SESSION_UNKNOWN' }));
  });

  test('never advises to resume a plain command that has ended', () => {
    const ended = { ...WAITING, engine: 'text', status: 'succeeded' } as RunRecord;
    expect(continueFix(ended)).toContain(`tacho run --run-dir ${ended.handle}`);
    expect(continueFix({ ...WAITING, status: 'succeeded' })).toContain('tacho resume --reopen');
  });
});
