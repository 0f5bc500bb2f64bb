import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../../src/conversation/index.ts';
import { codex } from '../../../src/engines/codex/profile.ts';
import { text } from '../../../src/engines/text/profile.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { openJournal } from '../../../src/runs/context.ts';
import { type ImportOutcome, type ImportRequest, importRun } from '../../../src/runs/import/import-run.ts';
import { type LogPaths, OutputLogs } from '../../../src/runs/import/output-logs.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { openFiles, temporaryFolder } from '../../support/tacho.ts';
import { logFile, newContext, recorded } from './import-context.ts';

const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const said = (message: string) => ({
  type: 'item.completed',
  item: { id: 'item_0', type: 'agent_message', text: message },
});
const session = [{ type: 'thread.started', thread_id: 'thread-1' }, { type: 'turn.started' }];
const over = { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 7 } };

async function importLogs(
  logs: Partial<LogPaths>,
  more: Partial<ImportRequest> = {},
  context = newContext(),
): Promise<ImportOutcome> {
  return importRun(
    [
      {
        profile: codex,
        source: OutputLogs.open({ stdout: null, stderr: null, pty: null, ...logs }),
        exit: { exit_code: 0, signal: null },
        mode: 'auto',
        requireMarker: false,
        files: [],
        ...more,
      },
    ],
    context,
  );
}

describe('importing the logs of an engine', () => {
  const stdout = lines(...session, said('All done. {"__SKILL_DONE__": true}'), over);
  const stderr = 'a warning\n';

  test('gives the same as a recorded run: events, a conversation, a completion and a seal', async () => {
    const context = newContext();
    const outcome = await importLogs({ stdout: logFile(stdout), stderr: logFile(stderr) }, {}, context);
    expect(outcome).toMatchObject({
      completion: { state: 'completed', reason_code: 'DONE_MARKER', rule: 3 },
      status: 'succeeded',
      sessionId: 'thread-1',
      usage: { input_tokens: 5, output_tokens: 7 },
      coverage: 1,
      bytes: stdout.length + stderr.length,
    });
    expect(outcome.counts).toMatchObject({ 'agent.message.final': 1, 'raw.stderr': 1 });
    const { read, meta, record, events } = recorded(outcome);
    expect(read('stdout.1.log').toString()).toBe(stdout);
    expect(read('stderr.1.log').toString()).toBe(stderr);
    expect(meta).toMatchObject({
      engine: 'codex',
      mode: 'auto',
      session_id: 'thread-1',
      exit_code: 0,
      capture: { mode: 'split', reason: 'imported', level: 'minimal' },
      parse: { coverage: 1 },
    });
    expect(meta.capture).not.toHaveProperty('merged_apart');
    expect(record).toMatchObject({ status: 'succeeded', live: null, session_id: 'thread-1', mode: 'auto' });
    expect(record).not.toHaveProperty('launch');
    const conversation = foldConversation(events).map((message) => `${JSON.stringify(message)}\n`);
    expect(read('conversation.jsonl').toString()).toBe(conversation.join(''));
    expect(fs.readdirSync(context.home.live)).toEqual([]);
    const verified = await verifyRun(runFolderAt(outcome.runDir));
    expect(verified).toMatchObject({ verdict: 'intact', problems: [] });
  });

  test('gives events that reparsing reproduces', async () => {
    const context = newContext();
    const { runDir } = await importLogs({ stdout: logFile(stdout), stderr: logFile(stderr) }, {}, context);
    const folder = runFolderAt(runDir);
    const reparse = await reparseAttempt(folder, 1, openJournal(folder, context.config));
    expect(reparse).toMatchObject({ identical: true, differences: [], completion: null });
    expect(reparse.events).toBeGreaterThan(4);
  });

  test('uses the given exit rather than the output to decide how it ended', async () => {
    const failed = await importLogs({ stdout: logFile(stdout) }, { exit: { exit_code: 1, signal: null } });
    expect(failed).toMatchObject({
      status: 'failed',
      completion: { state: 'interrupted', reason_code: 'EXIT_NONZERO' },
    });
    expect(failed.completion.diagnostics).toEqual(['DONE_MARKER_FAILURE_CONFLICT']);
    const killed = await importLogs({ stdout: logFile(stdout) }, { exit: { exit_code: null, signal: 'SIGKILL' } });
    expect(killed.completion).toMatchObject({ state: 'interrupted', reason_code: 'SIGNALED' });
    expect(recorded(killed).meta).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
  });

  test('does not wait for an answer to its last question in interactive mode', async () => {
    const context = newContext();
    const question = logFile(lines(...session, said('Which colour?'), over));
    const outcome = await importLogs({ stdout: question }, { mode: 'interactive' }, context);
    expect(outcome).toMatchObject({
      status: 'failed',
      completion: { state: 'interrupted', reason_code: 'QUESTION_UNANSWERED', needs_user_input: false, rule: 4 },
    });
    const { events, record } = recorded(outcome);
    expect(events.map(({ event }) => event.type)).not.toContain('interaction.user_input.required');
    expect(record).toMatchObject({ status: 'failed', live: null });
    const folder = runFolderAt(outcome.runDir);
    expect(await reparseAttempt(folder, 1, openJournal(folder, context.config))).toMatchObject({ completion: null });
    const strict = await importLogs({ stdout: question }, { requireMarker: true });
    expect(strict.completion).toMatchObject({ state: 'interrupted', reason_code: 'DONE_MARKER_MISSING' });
  });

  test('lets the engine decide how it ended where the exit is not known', async () => {
    const done = await importLogs({ stdout: logFile(stdout) }, { exit: null });
    expect(done).toMatchObject({ status: 'succeeded', completion: { reason_code: 'DONE_MARKER' } });
    expect(recorded(done).meta).toMatchObject({ exit_code: null, signal: null });
    const cut = await importLogs({ stdout: logFile(lines(...session, said('I begin.'))) }, { exit: null });
    expect(cut.completion).toMatchObject({
      state: 'interrupted',
      reason_code: 'ENGINE_ENDED_WITHOUT_TERMINAL_EVENT',
      evidence: [{ kind: 'exit', detail: 'exit not known', raw_ref: null }],
    });
    const plain = await importLogs({ stdout: logFile('done\n') }, { exit: null, profile: text });
    expect(plain.completion).toMatchObject({ state: 'unknown', reason_code: 'INCOMPLETE_STATE_CLASSIFICATION' });
  });

  test('names the files it was made from, with their hashes', async () => {
    const file = logFile(stdout);
    const { events } = recorded(await importLogs({ stdout: file }));
    expect(events[0]).toMatchObject({
      event: { type: 'lifecycle.run.requested' },
      data: { imported: [{ path: file, bytes: stdout.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
    });
  });

  test('reads a merged log after its header', async () => {
    const pty = stdout.replaceAll('\n', '\r\n');
    const outcome = await importLogs({ pty: logFile(pty) });
    expect(outcome).toMatchObject({ sessionId: 'thread-1', coverage: 1, bytes: pty.length });
    const { read, meta, audit } = recorded(outcome);
    expect(meta.capture.mode).toBe('merged');
    expect(read('pty-output.1.log').toString()).toMatch(/^Script started on [^\n]*\n/);
    expect(read('pty-output.1.log').toString().endsWith(pty)).toBe(true);
    expect(fs.existsSync(path.join(audit, 'stdout.1.log'))).toBe(false);
  });

  test('treats a merged log in addition to split ones as a copy, and counts nothing twice', async () => {
    const outcome = await importLogs({ stdout: logFile(stdout), pty: logFile(stdout.replaceAll('\n', '\r\n')) });
    expect(outcome).toMatchObject({ bytes: stdout.length, coverage: 1, completion: { reason_code: 'DONE_MARKER' } });
    expect(outcome.completion.diagnostics).toEqual([]);
    expect(outcome.counts['agent.message.final']).toBe(1);
    const { meta, read } = recorded(outcome);
    expect(meta.capture).toMatchObject({ mode: 'split', merged_apart: true });
    expect(read('stderr.1.log')).toHaveLength(0);
  });
});

describe('importing the logs of any command', () => {
  test('keeps every byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
    const outcome = await importLogs({ stdout: logFile(bytes) }, { profile: text });
    expect(outcome).toMatchObject({ status: 'succeeded', sessionId: null, bytes: bytes.length, coverage: 1 });
    expect(recorded(outcome).read('stdout.1.log').equals(bytes)).toBe(true);
  });

  test('accepts empty logs', async () => {
    const outcome = await importLogs({ stdout: logFile('') }, { profile: text });
    expect(outcome).toMatchObject({ status: 'succeeded', bytes: 0, coverage: 1, counts: {} });
  });
});

describe('a log that cannot be read', () => {
  test.each([
    ['does not exist', () => '/nonexistent/some.log'],
    ['is a folder', () => temporaryFolder()],
  ])('and %s leaves no partial run, and nothing open', async (_what, wrong) => {
    const context = newContext();
    const stderr = wrong();
    const good = logFile('x\n');
    await expect(importLogs({ stdout: good, stderr }, {}, context)).rejects.toMatchObject({
      code: 'IMPORT_FAILED',
      facts: { path: stderr },
    });
    expect(openFiles()).not.toContain(good);
    expect(openFiles()).not.toContain(stderr);
    expect(fs.existsSync(context.home.runs)).toBe(false);
  });
});
