import { describe, expect, test } from 'vitest';
import { findEngine } from '../../src/engines/index.ts';
import { listFixtures, readFixtureLog } from '../support/fixtures.ts';
import { checkDrafts, coveredBytes, parserContext, readLogs, summarize } from './read-log.ts';

describe.each(listFixtures())('$engine $name', ({ engine, folder, expected }) => {
  const { parser } = findEngine(engine)!;

  test('gives the session, messages, tools, usage and errors that were expected before its parser was written', () => {
    const logs = { stdout: readFixtureLog(folder, 'stdout'), stderr: readFixtureLog(folder, 'stderr') };
    const drafts = readLogs(parser.create(parserContext(engine)), logs);
    checkDrafts(drafts);
    const { session_id, final_messages, reasoning, tools, errors, usage, started, warnings } = summarize(drafts);
    expect({ session_id, final_messages, reasoning, tools, errors }).toEqual({
      session_id: expected.session_id,
      final_messages: expected.final_messages,
      reasoning: expected.reasoning,
      tools: expected.tools,
      errors: expected.errors,
    });
    expect(started).toBe(tools.length);
    expect(warnings).toEqual(expected.warnings ?? []);
    if (expected.usage === null) expect(usage).toBeNull();
    else expect(usage).toMatchObject(expected.usage);
    expect(coveredBytes(drafts)).toBe((logs.stdout?.length ?? 0) + (logs.stderr?.length ?? 0));
  });

  test('says the same when only a merged log was kept', () => {
    const pty = readFixtureLog(folder, 'pty');
    if (!pty) {
      expect(expected.pty).toBeUndefined();
      return;
    }
    const drafts = readLogs(parser.create(parserContext(engine)), { pty });
    checkDrafts(drafts);
    const { session_id, final_messages, tools } = summarize(drafts);
    expect({ session_id, tools }).toEqual({ session_id: expected.pty!.session_id, tools: expected.tools });
    expect(final_messages).toEqual(expected.final_messages);
    expect(coveredBytes(drafts)).toBe(pty.length);
  });
});
