import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { engineOf } from '../../../src/engines/index.ts';
import { TachoError } from '../../../src/protocol/index.ts';
import { type RunFolder, readRunRecord, verifyRun } from '../../../src/recording/index.ts';
import { Attempt } from '../../../src/runs/attempt/attempt.ts';
import type { AttemptPlan } from '../../../src/runs/attempt/attempt-plan.ts';
import { prepareRun } from '../../../src/runs/attempt/prepare-run.ts';
import type { Program, ProgramHost } from '../../../src/runs/attempt/programs/program.ts';
import { openJournal, type RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { completeLostAttempt } from '../../../src/runs/replay/complete-attempt.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const EXITED = { exit_code: 0, signal: null };

test('finishing twice, concurrently or later, seals once and returns the same result', async () => {
  const { attempt, folder } = await openAttempt();
  await attempt.start(new SilentProgram(), RECORD);
  const first = attempt.finish(EXITED);
  const second = attempt.finish({ exit_code: 7, signal: null });
  expect(await second).toBe(await first);
  expect(await attempt.finish(EXITED)).toBe(await first);
  expect(await first).toMatchObject({ status: 'succeeded', sealed: true, error: null });
  expect(await verdictOf(folder)).toBe('intact');
});

test('a program that cannot be started leaves a sealed record that names the failed step', async () => {
  const { attempt, folder, meta } = await openAttempt();
  const failure = new TachoError('TERMINAL_FAILED', 'no terminal', { fix: 'Mount /dev/pts.' });
  await attempt.start(new SilentProgram({ startFails: failure }), RECORD);
  const finished = await attempt.finish({ exit_code: null, signal: null });
  expect(finished).toMatchObject({ status: 'failed', sealed: true, error: failure });
  expect(meta()).toMatchObject({
    failed_step: 'terminal',
    error: { code: 'TERMINAL_FAILED', fix: 'Mount /dev/pts.' },
    started_at: null,
  });
  expect(await verdictOf(folder)).toBe('intact');
});

test('an attempt is sealed even if its program cannot be closed', async () => {
  const { attempt, meta } = await openAttempt();
  await attempt.start(new SilentProgram({ closeFails: new Error('stuck') }), RECORD);
  expect(await attempt.finish(EXITED)).toMatchObject({ sealed: true, error: { code: 'INTERNAL' } });
  expect(meta()).toMatchObject({ failed_step: 'terminal', exit_code: 0 });
});

test.each([
  [120, 'BUDGET_EXCEEDED'],
  [121, 'TERMINAL_SIGNAL'],
])(
  'usage that an engine reports when it ends counts against a budget of %i tokens: %s',
  async (total_tokens, reason) => {
    const limits = { timeoutMs: null, noProgressMs: null, outputBytes: null, budget: { total_tokens } };
    const { attempt } = await openAttempt({ profile: engineOf('gemini'), limits });
    const program = new SilentProgram();
    await attempt.start(program, RECORD);
    const tokens = { input: 100, prompt: 100, candidates: 20, total: 121, cached: 0, thoughts: 1, tool: 0 };
    const stats = { models: { m: { tokens } }, tools: {}, files: {} };
    program.host!.output('a', Buffer.from(JSON.stringify({ session_id: 's', response: 'ok', stats })));
    const { completion } = await attempt.finish(EXITED);
    expect(completion.reason_code).toBe(reason);
  },
);

test('a record that cannot be completed is left to recovery, also in the same process', async () => {
  const { attempt, folder, context } = await openAttempt();
  await attempt.start(new SilentProgram(), RECORD);
  // A file in place of the key folder.
  fs.writeFileSync(context.home.keys, '');
  const finished = await attempt.finish(EXITED);
  expect(finished).toMatchObject({ status: 'failed', sealed: false });
  expect(finished.error).toBeInstanceOf(TachoError);
  expect(readRunRecord(folder).live).not.toBeNull();
  fs.rmSync(context.home.keys);
  expect(await completeLostAttempt(folder.path, context)).toBe(true);
  expect(readRunRecord(folder)).toMatchObject({ live: null, status: 'succeeded', last: { exit_code: 0 } });
  expect(await verdictOf(folder)).toBe('intact');
});

test.each([
  ['forward', 86_400_000_000],
  ['back', -86_400_000_000],
])('an attempt is sealed even if the clock jumps %s', async (_, jump) => {
  const clock = { time: Date.parse('2026-11-16T00:00:00Z') * 1000, now: () => clock.time };
  const { attempt, folder, meta } = await openAttempt({ clock: clock });
  const program = new SilentProgram();
  await attempt.start(program, RECORD);
  program.host!.output('a', Buffer.from('before\n'));
  clock.time += jump;
  program.host!.output('a', Buffer.from('after\n'));
  expect(await attempt.finish(EXITED)).toMatchObject({ status: 'succeeded', sealed: true });
  expect(meta()).toMatchObject({ exit_code: 0, failed_step: null });
  expect(fs.readFileSync(path.join(folder.audit, 'stdout.1.log'), 'utf8')).toBe('before\nafter\n');
  expect(await verdictOf(folder)).toBe('intact');
});

test('an attempt reads the state of the previous one only after taking the lock', async () => {
  const { attempt, folder, context } = await openAttempt();
  await attempt.start(new SilentProgram(), RECORD);
  const journal = openJournal(folder, context.config);
  // The next attempt waits at the claim; the previous one ends meanwhile.
  const claim = journal.claim.bind(journal);
  journal.claim = async (run) => {
    await attempt.finish(EXITED);
    return claim(run);
  };
  const next = await prepareRun({ ...prepareOptions(context), run: folder.path, openJournal: () => journal });
  expect(next).toMatchObject({ attempt: 2, record: { last: { attempt: 1, exit_code: 0 } } });
});

const RECORD = { mode: 'split', header: { term: 'dumb', cols: 80, rows: 24 }, secrets: [] } as const;

/** A program that has already ended and prints nothing by itself. */
class SilentProgram implements Program {
  host: ProgramHost | null = null;
  readonly #failures: { startFails?: Error; closeFails?: Error };

  constructor(failures: { startFails?: Error; closeFails?: Error } = {}) {
    this.#failures = failures;
  }

  start(host: ProgramHost): void {
    if (this.#failures.startFails) throw this.#failures.startFails;
    this.host = host;
    host.started(spawnSync('true').pid);
  }

  pause(): void {}
  resume(): void {}
  end(): void {}

  close(): void {
    if (this.#failures.closeFails) throw this.#failures.closeFails;
  }
}

async function openAttempt(more: Partial<AttemptPlan> = {}) {
  const root = temporaryFolder();
  const env = { TACHO_HOME: root };
  const { config } = loadConfig({ workspaceRoot: root, env });
  const context: RunContext = { home: locateDataHome(env), config, env, version: 'test' };
  const run = await prepareRun(prepareOptions(context));
  const plan = {
    profile: engineOf('text'),
    mode: 'auto',
    markerRequired: false,
    conversation: false,
    ...more,
  } as const;
  const attempt = await Attempt.open(run, plan, context);
  const { folder } = run;
  const meta = () => JSON.parse(fs.readFileSync(path.join(folder.audit, 'meta.1.json'), 'utf8'));
  return { attempt, context, folder, meta };
}

function prepareOptions(context: RunContext) {
  return {
    engine: 'text',
    cwd: null,
    shownCommand: () => ['true'],
    capture: { mode: 'split', reason: 'test', level: 'minimal' },
    home: context.home,
    openJournal: (folder: RunFolder) => openJournal(folder, context.config),
    marker: 'no-such-marker',
  } as const;
}

async function verdictOf(folder: RunFolder): Promise<string> {
  return (await verifyRun(folder)).verdict;
}
