import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { createRunFolder, runFolderAt } from '../../../src/recording/index.ts';
import { announcedRuns, announceLive, dropDangling, withdrawLive } from '../../../src/runs/attempt/live-runs.ts';
import { locateDataHome } from '../../../src/runs/data-home.ts';
import { recoverLostRuns } from '../../../src/runs/replay/recovery.ts';
import { builtText } from '../../support/program.ts';
import { proofSize } from '../../support/proof-size.ts';
import { temporaryFolder } from '../../support/tacho.ts';

test('a run is announced before its folder exists, and withdrawn at the end', () => {
  const home = locateDataHome({}, temporaryFolder());
  const folder = createRunFolder(home.runs, 'text', {
    announce(made) {
      announceLive(home, made);
      expect(fs.existsSync(made.path)).toBe(false);
      expect(announcedRuns(home)).toEqual([]);
    },
  });
  announceLive(home, folder);
  expect(announcedRuns(home)).toEqual([{ folder, link: path.join(home.live, folder.runId) }]);
  withdrawLive(home, folder);
  expect(fs.readdirSync(home.live)).toEqual([]);
});

test('a link whose folder is gone is dropped, a link whose folder exists is kept', () => {
  const home = locateDataHome({}, temporaryFolder());
  const gone = runFolderAt(path.join(home.runs, '20261116T000000-text-00000000'));
  announceLive(home, gone);
  const there = createRunFolder(home.runs, 'text');
  announceLive(home, there);
  dropDangling(home);
  expect(fs.readdirSync(home.live)).toEqual([there.runId]);
});

test('announcing again tolerates that another process moves the link away and back meanwhile', () => {
  const home = locateDataHome({}, temporaryFolder());
  const folder = createRunFolder(home.runs, 'text');
  announceLive(home, folder);
  const link = path.join(home.live, folder.runId);
  const { readlinkSync, rmSync } = fs;
  const restore = () => void Object.assign(fs, { readlinkSync, rmSync });
  onTestFinished(restore);
  Object.assign(fs, {
    readlinkSync(file: string) {
      fs.renameSync(link, `${link}.aside`);
      return readlinkSync(file);
    },
    rmSync(file: string, options: fs.RmOptions) {
      rmSync(file, options);
      restore();
      fs.renameSync(`${link}.aside`, link);
    },
  });
  announceLive(home, folder);
  expect(announcedRuns(home)).toEqual([{ folder, link }]);
});

test('an announcement of an earlier tacho version, a file, is read', () => {
  const home = locateDataHome({}, temporaryFolder());
  const folder = createRunFolder(home.runs, 'text');
  fs.mkdirSync(home.live, { recursive: true });
  fs.writeFileSync(path.join(home.live, folder.runId), folder.path);
  expect(announcedRuns(home).map(({ folder: found }) => found)).toEqual([folder]);
  withdrawLive(home, folder);
  expect(announcedRuns(home)).toEqual([]);
});

test('readers in other processes neither fail nor remove the announcement of a live run', async () => {
  const home = locateDataHome({}, temporaryFolder());
  fs.mkdirSync(home.live, { recursive: true });
  const readers = [1, 2].map(() => startReader(home.root));
  const ready = readers.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve)));
  await Promise.all(ready);
  const live: string[] = [];
  for (let count = 0; count < proofSize({ small: 200, full: 2000 }); count++) {
    const folder = createRunFolder(home.runs, 'text', { announce: (made) => announceLive(home, made) });
    announceLive(home, folder);
    live.push(folder.runId);
  }
  for (const reader of readers) reader.stdin.end();
  const codes = readers.map((reader) => new Promise((resolve) => reader.once('exit', resolve)));
  expect(await Promise.all(codes)).toEqual([0, 0]);
  expect(fs.readdirSync(home.live).sort()).toEqual(live.sort());
});

/** A process that reads the announcements and removes dangling ones until its input ends. */
function startReader(home: string) {
  const source = `
    import { announcedRuns, dropDangling } from './src/runs/attempt/live-runs.ts';
    import { locateDataHome } from './src/runs/data-home.ts';
    const home = locateDataHome({}, process.argv[2]);
    let over = false;
    process.stdin.resume().on('end', () => { over = true; });
    console.log('ready');
    const look = () => { dropDangling(home); announcedRuns(home); if (!over) setTimeout(look, 1); };
    look();
  `;
  return spawn(process.execPath, [builtText(source), home], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

test('recovery ignores a run whose recorder is taking its lock', async () => {
  const home = locateDataHome({}, temporaryFolder());
  const folder = createRunFolder(home.runs, 'text', { announce: (made) => announceLive(home, made) });
  // The temporary file of a lock before it gets its name.
  fs.writeFileSync(path.join(folder.audit, `lock.tmp-${process.pid}-0123456789ab`), '');
  const { config } = loadConfig({ workspaceRoot: home.root, env: {} });
  expect(await recoverLostRuns({ home, config, env: {}, version: '0' })).toEqual({
    completed: [],
    canceled: [],
    failed: [],
  });
  expect(fs.readdirSync(folder.audit)).toEqual([`lock.tmp-${process.pid}-0123456789ab`]);
});
