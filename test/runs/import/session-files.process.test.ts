import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../../src/conversation/index.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { openJournal } from '../../../src/runs/context.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { listSessionFixtures } from '../../support/session-fixtures.ts';
import { importFile, newContext, recorded } from './import-context.ts';

describe.each(listSessionFixtures())('$engine $name', ({ file, bytes, engine, expected, format }) => {
  test('becomes a run with the times, conversation and completion of the session, which verifies', async () => {
    const context = newContext();
    const outcome = await importFile(file, {}, context);
    const [state, reason_code] = expected.completion;
    expect(outcome).toMatchObject({
      completion: { state, reason_code },
      status: state === 'completed' ? 'succeeded' : 'failed',
      sessionId: expected.session_id,
      coverage: 1,
      bytes: bytes.length,
    });
    const { meta, events, record, read } = recorded(outcome);
    expect(meta).toMatchObject({
      engine,
      model: expected.model,
      session_id: expected.session_id,
      exit_code: null,
      started_at: expected.first_time,
      ended_at: expected.last_time,
      capture: { reason: 'imported', source: 'session_file' },
      versions: { parser: `${format.parser.name}/${format.parser.version}` },
    });
    expect(record).toMatchObject({ live: null, session_id: expected.session_id });
    expect(read('stdout.1.log').equals(bytes)).toBe(true);
    const said = foldConversation(events).filter(
      ({ type }) => type === 'user.message' || type === 'assistant.message.final',
    );
    expect(said.filter(({ type }) => type === 'user.message')).toHaveLength(expected.prompts.length);
    expect(said.filter(({ type }) => type !== 'user.message')).toHaveLength(expected.final_messages.length);
    const folder = runFolderAt(outcome.runDir);
    expect(await verifyRun(folder)).toMatchObject({ verdict: 'intact', problems: [] });
    expect(await reparseAttempt(folder, 1, openJournal(folder, context.config))).toMatchObject({
      identical: true,
      completion: null,
    });
  });
});
