import { defineConfig } from 'vitest/config';
import everyday from './vitest.config.ts';

const { projects: _, ...settings } = everyday.test!;
const globalSetup = ['test/support/build-first.ts'];

/** What only continuous integration has to run: `npm run test:ci`. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'ci',
          include: ['test/ci/**/*.test.ts'],
          globalSetup,
          // In another locale tacho prints other signs.
          env: { LC_ALL: 'C.UTF-8' },
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...settings,
          name: 'slow',
          include: ['test/**/*.ci.test.ts'],
          globalSetup,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
