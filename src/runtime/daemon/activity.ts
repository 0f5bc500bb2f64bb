import type { CallRuntime } from '../call-runtime.ts';

/**
 * Status queries do not count as activity: a page that lists all daemons polls every few seconds, and a run asks what its
 * child agents use as long as it has any. To wait for agents does count.
 */
const STATUS_QUERIES: ReadonlySet<string> = new Set([
  'session.list',
  'runtime.status',
  'system.stats',
  'system.ping',
  'agent.list',
  'agent.usage',
]);

/** Measures the time since the last call that counts as activity. */
export function watchActivity(call: CallRuntime): { call: CallRuntime; idleMs(): number } {
  let running = 0;
  let last = performance.now();
  return {
    call: async (method, params, take) => {
      if (STATUS_QUERIES.has(method)) return await call(method, params, take);
      running++;
      try {
        return await call(method, params, take);
      } finally {
        running--;
        last = performance.now();
      }
    },
    idleMs: () => (running > 0 ? 0 : performance.now() - last),
  };
}
