import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import type { RunRecord } from '../../../src/protocol/index.ts';
import { type RunFolder, runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { prepareRun } from '../../../src/runs/attempt/prepare-run.ts';
import { openJournal, type RunContext } from '../../../src/runs/context.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { recoverLostRuns } from '../../../src/runs/replay/recovery.ts';
import { readPendingAttempt } from '../../../src/runs/request/pending-attempt.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { readStoredRequest } from '../../../src/runs/request/stored-request.ts';
import { queueRun } from '../../../src/runs/service/queue-attempt.ts';
import { temporaryFolder } from '../../support/tacho.ts';

test('a process killed while it queues a run leaves a complete queued run, or none', async () => {
  const cuts = await cutsOf(async (home) => {
    const context = contextOf(home);
    await queueRun(settleRequest(parseRunRequest({ command: ['true'] }), context), context);
  });
  expect(cuts.length).toBeGreaterThan(10);
  const outcomes = new Set<string>();
  for (const home of cuts) outcomes.add(await outcomeOf(home, expectWaiting));
  expect([...outcomes].sort()).toEqual(['never began', 'nothing', 'waits']);
});

test('a process killed while it starts a run leaves a run that recovery completes, or none', async () => {
  const cuts = await cutsOf(async (home) => {
    const { folder, journal, claim } = await prepareRun({
      engine: 'text',
      cwd: null,
      shownCommand: () => ['true'],
      capture: { mode: 'split', reason: 'test', level: 'minimal' },
      home: locateDataHome({}, home),
      openJournal: (made) => openJournal(made, contextOf(home).config),
      marker: 'no-such-marker',
    });
    await journal.release(folder.runId, claim.epoch);
  });
  expect(cuts.length).toBeGreaterThan(10);
  const outcomes = new Set<string>();
  for (const home of cuts) outcomes.add(await outcomeOf(home, expectLost));
  expect([...outcomes].sort()).toEqual(['lost', 'never began', 'nothing']);
});

/** What is left after recovery. */
async function outcomeOf(home: string, expectWhole: (folder: RunFolder) => string | Promise<string>): Promise<string> {
  const runs = path.join(home, 'runs');
  const announced = new Set(listed(path.join(home, 'live')));
  // Recovery could not find a folder that is not announced.
  for (const id of listed(runs)) if (!hasRecord(path.join(runs, id))) expect(announced).toContain(id);
  expect((await recoverLostRuns(contextOf(home))).failed).toEqual([]);
  const [id] = listed(runs);
  if (id === undefined) {
    expect([...listed(path.join(home, 'private')), ...listed(path.join(home, 'live'))]).toEqual([]);
    return 'nothing';
  }
  const folder = runFolderAt(path.join(runs, id));
  if (!hasRecord(folder.path)) {
    // It is so new that its process may be about to start; a later recovery removes it.
    expect(listed(path.join(home, 'live'))).toEqual([id]);
    expect(listed(folder.audit).filter((name) => /^lock\.\d/.test(name))).toEqual([]);
    return 'never began';
  }
  expect(listed(path.join(home, 'live'))).toEqual([]);
  return await expectWhole(folder);
}

function recordOf(folder: RunFolder): RunRecord {
  return JSON.parse(fs.readFileSync(path.join(folder.path, '.run.json'), 'utf8'));
}

function expectWaiting(folder: RunFolder): string {
  expect(recordOf(folder)).toMatchObject({ status: 'queued', live: null, head_seq: 2, queue: { priority: 0 } });
  expect([readPendingAttempt(folder)?.announced, readStoredRequest(folder)?.command]).toEqual([true, ['true']]);
  return 'waits';
}

async function expectLost(folder: RunFolder): Promise<string> {
  expect(recordOf(folder)).toMatchObject({ status: 'failed', live: null, last: { reason_code: 'SUPERVISOR_LOST' } });
  expect((await verifyRun(folder)).problems).toEqual([]);
  return 'lost';
}

const CHANGES = ['symlinkSync', 'mkdirSync', 'openSync', 'linkSync', 'renameSync', 'rmSync', 'closeSync'] as const;

/** Copies of a data folder as a kill would leave it before each file system change of the work. */
async function cutsOf(work: (home: string) => Promise<void>): Promise<string[]> {
  const home = temporaryFolder();
  const copies = temporaryFolder();
  const cuts: string[] = [];
  const original = { ...fs };
  const cut = () => {
    const copy = path.join(copies, String(cuts.length));
    restore();
    fs.cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
    replace();
    cuts.push(copy);
  };
  const replace = () => {
    for (const name of CHANGES) {
      const change = original[name] as (...given: unknown[]) => unknown;
      Object.assign(fs, {
        [name]: (...given: unknown[]) => {
          cut();
          return change(...given);
        },
      });
    }
    syncBuiltinESMExports();
  };
  const restore = () => {
    for (const name of CHANGES) Object.assign(fs, { [name]: original[name] });
    syncBuiltinESMExports();
  };
  replace();
  try {
    await work(home);
  } finally {
    restore();
  }
  return cuts;
}

function contextOf(root: string): RunContext {
  const { config } = loadConfig({ workspaceRoot: root, env: {} });
  return { home: locateDataHome({}, root), config, env: {}, version: 'test' };
}

function hasRecord(folder: string): boolean {
  return fs.existsSync(path.join(folder, '.run.json'));
}

function listed(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}
