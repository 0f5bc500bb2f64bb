import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldConversation } from '../../../../src/conversation/index.ts';
import type { RunMode } from '../../../../src/protocol/index.ts';
import { playback, runFolderAt, verifyRun } from '../../../../src/recording/index.ts';
import { openJournal } from '../../../../src/runs/context.ts';
import { openFolder } from '../../../../src/runs/import/folder/open-folder.ts';
import { type ImportOutcome, importRun } from '../../../../src/runs/import/import-run.ts';
import { reparseAttempt } from '../../../../src/runs/replay/reparse.ts';
import { type FolderAttempt, type Piece, writeAttemptFolder } from '../../../support/attempt-folder.ts';
import { openFiles, temporaryFolder } from '../../../support/tacho.ts';
import { importFile, logFile, newContext, recorded } from '../import-context.ts';

const START = Date.parse('2026-11-16T12:00:00.000Z');
const json = (event: object) => `${JSON.stringify(event)}\n`;
const said = (text: string) => json({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
const begun = json({ type: 'thread.started', thread_id: 'thread-1' }) + json({ type: 'turn.started' });
const over = (tokens: number) => json({ type: 'turn.completed', usage: { input_tokens: tokens, output_tokens: 10 } });

function meta(prompt: string, more: object = {}): object {
  return { agent: 'codex', command: 'codex', args: ['exec', '--json', prompt], exitCode: 0, signal: null, ...more };
}

const QUESTION: FolderAttempt = {
  pieces: [
    ['stdout', begun, 1],
    ['stderr', 'a warning\n', 0.5],
    ['input', 'x', 0.5],
    ['stdout', said('Which colour?'), 1],
    ['stdout', over(100), 0.25],
  ],
  meta: meta('paint the door', { completion: { state: 'awaiting_user_input', reasonCode: 'WAITING' } }),
  diff: { created: ['brush.txt'], modified: [], deleted: [] },
};
const ANSWER: FolderAttempt = {
  pieces: [['stdout', begun + said('Painted. {"__SKILL_DONE__": true}') + over(300), 2]],
  meta: meta('blue', { completion: { state: 'completed', reasonCode: 'DONE_MARKER' } }),
  diff: { created: ['door.txt'], modified: ['brush.txt'], deleted: [] },
};

function importFolder(folder: string, mode: RunMode | null = null, context = newContext()): Promise<ImportOutcome> {
  return importRun(openFolder(folder, { engine: null, mode, requireMarker: false }), context);
}

const damage = (outcome: ImportOutcome) =>
  recorded(outcome)
    .events.filter(({ data }) => (data as { code?: string }).code === 'IMPORT_DAMAGED')
    .map(({ data }) => (data as { problem?: string }).problem);

describe('a folder of attempts', () => {
  test('becomes one run with all attempts, their times, prompts, files and completions', async () => {
    const context = newContext();
    const outcome = await importFolder(writeAttemptFolder([QUESTION, ANSWER]), null, context);
    expect(outcome).toMatchObject({
      attempts: 2,
      status: 'succeeded',
      completion: { state: 'completed', reason_code: 'DONE_MARKER', diagnostics: [] },
      sessionId: 'thread-1',
      // codex counts over the session, which the second attempt continues.
      usage: { input_tokens: 300, output_tokens: 10 },
      coverage: 1,
    });
    const { events, record, meta: first, read } = recorded(outcome);
    const { meta: second } = recorded(outcome, 2);
    expect(first).toMatchObject({
      mode: 'interactive',
      started_at: '2026-11-16T12:00:00.000Z',
      ended_at: '2026-11-16T12:00:03.250Z',
      exit_code: 0,
      completion: { state: 'awaiting_user_input', diagnostics: [] },
      capture: { mode: 'split', level: 'standard', reason: 'imported' },
      filesystem: { created: 1 },
    });
    expect(second.filesystem).toMatchObject({ created: 1, modified: 1 });
    expect(record).toMatchObject({ engine: 'codex', attempt: 2, status: 'succeeded', live: null });
    const texts = foldConversation(events).flatMap(({ type, data }) =>
      ['user.message', 'assistant.message.final'].includes(type) ? [(data as { text: string }).text] : [],
    );
    expect(texts).toEqual(['paint the door', 'Which colour?', 'blue', 'Painted. {"__SKILL_DONE__": true}']);
    const spoken = events.find(({ event }) => event.type === 'agent.message.final')!;
    expect(Date.parse(spoken.ts) - START).toBe(3000);
    const files = events
      .filter(({ event }) => event.category === 'artifact')
      .map(({ data }) => (data as { path: string }).path);
    expect(files).toEqual(['brush.txt', 'door.txt', 'brush.txt']);
    expect(read('stdin.1.log').toString()).toBe('x');
    const folder = runFolderAt(outcome.runDir);
    expect(await verifyRun(folder)).toMatchObject({ verdict: 'intact', problems: [] });
    for (const attempt of [1, 2]) {
      const again = await reparseAttempt(folder, attempt, openJournal(folder, context.config));
      expect(again).toMatchObject({ identical: true, completion: null });
    }
    const shown = [...playback(folder, 1)].map((moment) => [moment.time / 1e6, moment.kind]);
    expect(shown).toEqual([
      [1, 'output'],
      [1, 'output'],
      [1.5, 'output'],
      [2, 'input'],
      [3, 'output'],
      [3.25, 'output'],
    ]);
  });

  test('ends with its last question, which no one can answer any more', async () => {
    const outcome = await importFolder(writeAttemptFolder([QUESTION]));
    expect(outcome).toMatchObject({
      status: 'failed',
      completion: { state: 'interrupted', reason_code: 'QUESTION_UNANSWERED', diagnostics: [] },
    });
    const unattended = await importFolder(writeAttemptFolder([QUESTION]), 'auto');
    expect(unattended.completion).toMatchObject({
      state: 'completed',
      reason_code: 'TERMINAL_SIGNAL',
      diagnostics: ['COMPLETION_DIFFERS'],
    });
  });

  test('may be given by its .audit', async () => {
    const folder = writeAttemptFolder([ANSWER]);
    expect(await importFolder(path.join(folder, '.audit'))).toMatchObject({ attempts: 1, status: 'succeeded' });
  });

  test('keeps the terminal beside streams that lack some of it, and takes the missing event from there', async () => {
    const pieces: Piece[] = [
      ['stdout', begun, 1],
      ['terminal', said('only on the terminal'), 1],
      ['stdout', over(100), 1],
    ];
    const outcome = await importFolder(writeAttemptFolder([{ pieces, meta: meta('x') }]));
    expect(recorded(outcome).meta.capture).toMatchObject({ mode: 'split', merged_apart: true, level: 'minimal' });
    expect(damage(outcome)).toEqual(['the terminal showed more than the streams, so they have no times']);
    const codes = recorded(outcome).events.map(({ data }) => (data as { code?: string }).code);
    expect(codes).toContain('PTY_FALLBACK_USED');
    expect(outcome.counts['agent.message.final']).toBe(1);
  });

  test.each([
    ['the terminal with its times', ['stdout', 'stderr', 'fd-trace'], { mode: 'merged', level: 'standard' }],
    [
      'the terminal alone',
      ['stdout', 'stderr', 'fd-trace', 'pty-timing', 'stdin'],
      { mode: 'merged', level: 'minimal' },
    ],
    ['the trace', ['stdout', 'stderr', 'pty-output', 'pty-timing', 'stdin'], { mode: 'split', level: 'minimal' }],
    ['the streams', ['fd-trace', 'pty-output', 'pty-timing', 'stdin'], { mode: 'split', level: 'minimal' }],
  ])('is read from %s where there is no more', async (_what, without, capture) => {
    const outcome = await importFolder(writeAttemptFolder([{ ...ANSWER, without }]));
    expect(outcome).toMatchObject({ status: 'succeeded', sessionId: 'thread-1', coverage: 1 });
    expect(recorded(outcome).meta.capture).toMatchObject(capture);
    expect(await verifyRun(runFolderAt(outcome.runDir))).toMatchObject({ verdict: 'intact' });
  });

  test('takes over how an attempt ended where no rule can decide', async () => {
    const command = { agent: 'some-tool', completion: { state: 'interrupted', reasonCode: 'NO_LICENCE' } };
    const pieces: Piece[] = [['stdout', 'some text\n', 1]];
    const outcome = await importFolder(writeAttemptFolder([{ pieces, meta: command }]));
    expect(outcome.completion).toMatchObject({ state: 'interrupted', reason_code: 'NO_LICENCE', source: 'imported' });
    expect(recorded(outcome).meta.engine).toBe('text');
  });

  test('reports a damaged meta, diff or timing, and imports the rest', async () => {
    const folder = writeAttemptFolder([{ ...ANSWER, meta: '{"agent": ', diff: 'nothing' }]);
    fs.appendFileSync(path.join(folder, '.audit/pty-timing.1.log'), 'O nonsense\n');
    const outcome = await importFolder(folder);
    expect(outcome).toMatchObject({ completion: { reason_code: 'DONE_MARKER' }, sessionId: 'thread-1' });
    expect(damage(outcome)).toEqual(['meta is not JSON', 'not a time', 'fs-diff is not a list of changes']);
  });

  test('reports a diff that is too large, and times of more than a century', async () => {
    const folder = writeAttemptFolder([ANSWER]);
    fs.truncateSync(path.join(folder, '.audit/fs-diff.1.json'), 20e6);
    const steps = 'O 3000000000.0 0\n'.repeat(200);
    const timing = path.join(folder, '.audit/pty-timing.1.log');
    fs.writeFileSync(timing, steps + fs.readFileSync(timing, 'utf8'));
    const outcome = await importFolder(folder);
    expect(outcome).toMatchObject({ completion: { reason_code: 'DONE_MARKER' } });
    expect(damage(outcome)).toEqual(['longer than a century', 'fs-diff is too large']);
    expect(recorded(outcome).meta.ended_at).toMatch(/^2126-/);
    expect(await verifyRun(runFolderAt(outcome.runDir))).toMatchObject({ verdict: 'intact' });
  });

  test('may lack attempts, and an attempt may have printed nothing', async () => {
    const silent = ['stdin', 'stdout', 'stderr', 'pty-output', 'pty-timing', 'fd-trace', 'fs-diff'];
    const folder = writeAttemptFolder([QUESTION, QUESTION, { ...ANSWER, without: silent }]);
    for (const name of fs.readdirSync(path.join(folder, '.audit'))) {
      if (name.includes('.2.')) fs.rmSync(path.join(folder, '.audit', name));
    }
    const outcome = await importFolder(folder);
    expect(outcome).toMatchObject({
      attempts: 2,
      coverage: 1,
      completion: { state: 'interrupted', diagnostics: expect.arrayContaining(['COMPLETION_DIFFERS']) },
    });
    expect(await verifyRun(runFolderAt(outcome.runDir))).toMatchObject({ verdict: 'intact' });
  });
});

describe('a folder that cannot be imported', () => {
  const replaced = (name: string, replace: (file: string) => void) => () => {
    const folder = writeAttemptFolder([QUESTION, ANSWER]);
    const file = path.join(folder, '.audit', name);
    fs.rmSync(file);
    replace(file);
    return folder;
  };

  test.each([
    [
      'has a link among its files',
      replaced('stdout.2.log', (file) => fs.symlinkSync('/etc/hostname', file)),
      'IMPORT_FAILED',
    ],
    [
      'has a link for its meta',
      replaced('meta.1.json', (file) => fs.symlinkSync('/etc/hostname', file)),
      'IMPORT_FAILED',
    ],
    [
      'has a pipe among its files',
      replaced('pty-timing.1.log', (file) => spawnSync('mkfifo', [file])),
      'IMPORT_FAILED',
    ],
    ['has a huge meta', replaced('meta.2.json', (file) => fs.writeFileSync(file, Buffer.alloc(17e6))), 'IMPORT_FAILED'],
    ['has a folder among its files', replaced('fs-diff.2.json', (file) => fs.mkdirSync(file)), 'IMPORT_FAILED'],
    [
      'has its files behind a link',
      () => {
        const folder = temporaryFolder();
        fs.symlinkSync(path.join(writeAttemptFolder([ANSWER]), '.audit'), path.join(folder, '.audit'));
        return folder;
      },
      'IMPORT_FORMAT_UNKNOWN',
    ],
    ['is empty', () => temporaryFolder(), 'IMPORT_FORMAT_UNKNOWN'],
    ['holds other things', () => path.dirname(logFile('x', 'notes.txt')), 'IMPORT_FORMAT_UNKNOWN'],
    ['is not there', () => '/nonexistent/run', 'IMPORT_FAILED'],
    ['is a file', () => logFile('x'), 'IMPORT_FAILED'],
  ])('%s: it is refused, and nothing is left behind', async (_what, make, code) => {
    const context = newContext();
    const folder = make();
    const before = openFiles();
    expect(() => importFolder(folder, null, context)).toThrow(
      expect.objectContaining({ code, fix: expect.stringMatching(/./) }),
    );
    expect(openFiles()).toEqual(before);
    expect(fs.existsSync(context.home.runs)).toBe(false);
  });

  test('is a record of tacho, which needs no import', async () => {
    const { runDir } = await importFile(logFile('x\n'), { engine: 'text', exit: { exit_code: 0, signal: null } });
    expect(() => importFolder(runDir)).toThrow(
      expect.objectContaining({ code: 'IMPORT_FORMAT_UNKNOWN', fix: expect.stringContaining('tacho verify') }),
    );
  });
});
