import { defineConfig } from 'vitest/config';

/** What only continuous integration has to run: `npm run test:ci`. */
export default defineConfig({
  test: {
    include: ['test/ci/**/*.test.ts'],
    globalSetup: ['test/support/build-first.ts'],
    // In another locale tacho prints other signs.
    env: { LC_ALL: 'C.UTF-8' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
