import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whatever a test leaves to the defaults: never the data folder of whoever runs the tests.
    env: { TACHO_HOME: path.resolve('.setup/test-home') },
    pool: 'forks',
    // Tests wait for processes more than they compute: both cores, not all but one.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
