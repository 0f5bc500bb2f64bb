import { defineConfig } from 'vitest/config';

/** The scenarios on real agent CLIs: `npm run test:engines`. */
export default defineConfig({
  test: {
    include: ['test/**/*.engines.ts'],
    globalSetup: ['test/support/install-engines.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['default'],
  },
});
