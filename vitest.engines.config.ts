import { defineConfig } from 'vitest/config';

/** The scenarios on real agent CLIs: `npm run test:engines`. */
export default defineConfig({
  test: {
    include: ['test/**/*.engines.ts'],
    globalSetup: ['test/support/install-engines.ts'],
    // In another locale tacho prints other signs.
    env: { LC_ALL: 'C.UTF-8' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['default'],
  },
});
