import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { fullSize } from './test/support/proof-size.ts';

/** A test that hangs ends, however slow or busy the machine is for the others. */
const TIMEOUT_MS = fullSize ? 3_600_000 : 300_000;

/** Folders whose tests start no process. A test there that has to is named `….process.test.ts`. */
const UNIT_FOLDERS = [
  'approvals',
  'agent/children',
  'agent/facts',
  'agent/fork',
  'agent/from-config',
  'agent/loop',
  'agent/models',
  'agent/replay',
  'agent/run',
  'agent/state',
  'agent/testkit',
  'agent/wal',
  'cli/chat',
  'cli/replay',
  'client',
  'config',
  'conversation',
  'docs',
  'engines',
  'journal',
  'protocol',
  'record',
  'recording',
  'runs/completion',
  'runs/launch',
  'runs/replay',
  'runs/result',
  'runs/skills',
  'runs/state',
  'skills',
  'storage',
  'studio',
  'tools',
];

const unit = ['test/*.test.ts', ...UNIT_FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`)];
const process = ['test/**/*.process.test.ts'];
/** Tests that take long: part of `npm run test:ci` and `npm run test:heavy`, not of `npm test`. */
const slow = ['test/**/*.ci.test.ts'];
/** Tests that act on every orphan their process adopts: those of another file would be among them. */
const alone = ['test/terminal/orphans.test.ts', 'test/terminal/process-tree.test.ts'];
/** Tests with a sandbox as the machine has it: a sandbox never shows /dev, and so no folder in memory. */
const sandbox = [
  'test/sandbox/*.test.ts',
  'test/examples/agent-examples.test.ts',
  'test/tools/builtin/skill-exec.process.test.ts',
  'test/tools/commands/*.test.ts',
  'test/acceptance/agent/contained.test.ts',
  'test/acceptance/containment/environment.test.ts',
  'test/acceptance/containment/escape.test.ts',
  'test/acceptance/containment/placeholders.test.ts',
  'test/acceptance/runtime/limits.test.ts',
  'test/acceptance/runtime/settings.test.ts',
  'test/cli/terminal/terminal-create.test.ts',
  'test/runtime/port/*.test.ts',
];

export default defineConfig({
  test: {
    env: {
      // Whatever a test leaves to the defaults: never the data folder of whoever runs the tests.
      TACHO_HOME: path.resolve('.setup/test-home'),
      // In another locale tacho prints other signs.
      LC_ALL: 'C.UTF-8',
      ...temporaryFolders(),
    },
    // Not threads: many tests hold raw descriptors or change the process's user.
    pool: 'forks',
    // One process runs many files, because loading the code again for each would take longer than most tests.
    isolate: false,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: 60_000 } },
    // Modules that have not changed are not translated again by the next run, nor by the next project of this one.
    experimental: { fsModuleCache: true, fsModuleCachePath: path.resolve('.setup/vitest-cache') },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: process,
          setupFiles: ['test/support/refuse-processes.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...unit.map((files) => files.replace('*.test.ts', '!(*.process).test.ts')),
            'test/ci/**',
            ...alone,
            ...sandbox,
            ...(fullSize ? [] : slow),
          ],
          globalSetup: ['test/support/build-first.ts'],
          // They wait for other processes more than they compute, those with a browser most of all.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'sandbox',
          include: sandbox,
          env: { TMPDIR: os.tmpdir() },
          globalSetup: ['test/support/build-first.ts'],
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, isolate: true, maxWorkers: 4, sequence: { groupOrder: 1 } },
      },
    ],
  },
});

/**
 * Folders of tests are in memory if there is room: small files on a disk take an eighth of all processor time. At full
 * size they would not fit. Folders that a killed run of the tests left there are removed by a later one.
 */
function temporaryFolders(): { TMPDIR?: string } {
  const memory = '/dev/shm';
  const room = fs.existsSync(memory) && !fullSize ? fs.statfsSync(memory) : null;
  if (!room || room.bavail * room.bsize < 4 * 2 ** 30) return {};
  const folder = path.join(memory, `tacho-tests-${os.userInfo().uid}`);
  fs.mkdirSync(folder, { recursive: true });
  const stat = fs.lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== os.userInfo().uid) return {};
  // Whatever the umask is: some tests run programs as another user.
  fs.chmodSync(folder, 0o755);
  const stale = Date.now() - 6 * 3_600_000;
  for (const entry of fs.readdirSync(folder).map((name) => path.join(folder, name))) {
    const changed = fs.lstatSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? stale;
    if (changed < stale) fs.rmSync(entry, { recursive: true, force: true });
  }
  return { TMPDIR: folder };
}
