import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whatever a test leaves to the defaults: never the data folder of whoever runs the tests.
    env: { TACHO_HOME: path.resolve('.setup/test-home') },
    pool: 'forks',
    // Tests wait for processes more than they compute: with two at once the two cores we count on idle for 40 % of the time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
