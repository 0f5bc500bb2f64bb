import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/index.ts';
import { foldConversation } from '../../../src/conversation/index.ts';
import { codex } from '../../../src/engines/codex/profile.ts';
import { text } from '../../../src/engines/text/profile.ts';
import { type Meta, metaSchema, type RunRecord } from '../../../src/protocol/index.ts';
import { runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { openJournal, type RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { type ImportOutcome, type ImportRequest, importRun } from '../../../src/runs/replay/import-run.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { openFiles, readEvents, temporaryFolder } from '../../support/tacho.ts';

const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const said = (message: string) => ({
  type: 'item.completed',
  item: { id: 'item_0', type: 'agent_message', text: message },
});
const session = [{ type: 'thread.started', thread_id: 'thread-1' }, { type: 'turn.started' }];
const over = { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 7 } };

function newContext(): RunContext {
  return { home: locateDataHome({}, temporaryFolder()), config: DEFAULTS, env: {}, version: '0' };
}

function logFile(content: string | Buffer): string {
  const file = path.join(temporaryFolder(), 'some.log');
  fs.writeFileSync(file, content);
  return file;
}

function importLogs(
  logs: Partial<ImportRequest['logs']>,
  more: Partial<ImportRequest> = {},
  context = newContext(),
): Promise<ImportOutcome> {
  return importRun(
    {
      profile: codex,
      logs: { stdout: null, stderr: null, pty: null, ...logs },
      exitCode: 0,
      signal: null,
      mode: 'auto',
      requireMarker: false,
      ...more,
    },
    context,
  );
}

function recorded({ runDir }: ImportOutcome) {
  const { audit } = runFolderAt(runDir);
  const read = (name: string) => fs.readFileSync(path.join(audit, name));
  const json = (name: string) => JSON.parse(read(name).toString()) as unknown;
  return {
    audit,
    read,
    meta: metaSchema.parse(json('meta.1.json')) as Meta,
    record: JSON.parse(fs.readFileSync(path.join(runDir, '.run.json'), 'utf8')) as RunRecord,
    events: readEvents(path.join(audit, 'events.jsonl')),
  };
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
    const failed = await importLogs({ stdout: logFile(stdout) }, { exitCode: 1 });
    expect(failed).toMatchObject({
      status: 'failed',
      completion: { state: 'interrupted', reason_code: 'EXIT_NONZERO' },
    });
    expect(failed.completion.diagnostics).toEqual(['DONE_MARKER_FAILURE_CONFLICT']);
    const killed = await importLogs({ stdout: logFile(stdout) }, { exitCode: null, signal: 'SIGKILL' });
    expect(killed.completion).toMatchObject({ state: 'interrupted', reason_code: 'SIGNALED' });
    expect(recorded(killed).meta).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
  });

  test('waits for an answer to its last question in interactive mode', async () => {
    const question = logFile(lines(...session, said('Which colour?'), over));
    const outcome = await importLogs({ stdout: question }, { mode: 'interactive' });
    expect(outcome).toMatchObject({ status: 'waiting_user', completion: { state: 'awaiting_user_input' } });
    const { events } = recorded(outcome);
    const asked = events.find(({ event }) => event.type === 'interaction.user_input.required');
    expect(asked?.data).toMatchObject({ interaction_id: '1.1', prompt: 'Which colour?' });
    const strict = await importLogs({ stdout: question }, { requireMarker: true });
    expect(strict.completion).toMatchObject({ state: 'interrupted', reason_code: 'DONE_MARKER_MISSING' });
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

  test('reads a slow pipe to its end', async () => {
    const pipe = path.join(temporaryFolder(), 'pipe');
    const writer = spawn('sh', ['-c', `mkfifo "$0" && echo ready && { echo one; sleep 0.1; echo two; } > "$0"`, pipe]);
    const closed = once(writer, 'close');
    await new Promise((resolve) => writer.stdout.once('data', resolve));
    const outcome = await importLogs({ stdout: pipe }, { profile: text });
    await closed;
    expect(recorded(outcome).read('stdout.1.log').toString()).toBe('one\ntwo\n');
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
