import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { fullSize } from './test/support/proof-size.ts';

/** Tests at full size may take long on a slow or busy machine; a test that hangs still ends. */
const TIMEOUT_MS = fullSize ? 3_600_000 : 120_000;

/** Folders whose tests start no process. A test there that has to is named `….process.test.ts`. */
const UNIT_FOLDERS = [
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
  'runs/state',
  'skills',
  'storage',
  'studio',
];

const unit = ['test/*.test.ts', ...UNIT_FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`)];
const process = ['test/**/*.process.test.ts'];
/** Tests that act on every orphan their process adopts: those of another file would be among them. */
const alone = ['test/terminal/orphans.test.ts', 'test/terminal/process-tree.test.ts'];

export default defineConfig({
  test: {
    // Whatever a test leaves to the defaults: never the data folder of whoever runs the tests.
    // And one locale: in another one tacho prints other signs.
    env: { TACHO_HOME: path.resolve('.setup/test-home'), LC_ALL: 'C.UTF-8' },
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
          exclude: [...unit.map((files) => files.replace('*.test.ts', '!(*.process).test.ts')), 'test/ci/**', ...alone],
          globalSetup: ['test/support/build-first.ts'],
          // They wait for other processes more than they compute, those with a browser most of all.
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
