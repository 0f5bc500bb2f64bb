import type { CallRuntime } from '../call-runtime.ts';

/** Whoever only looks keeps no daemon from ending: a page that shows all of them looks every few seconds. */
const LOOKS: ReadonlySet<string> = new Set(['session.list', 'runtime.status', 'system.stats', 'system.ping']);

/** Notes how long ago the last call ended that meant something. */
export function watchActivity(call: CallRuntime): { call: CallRuntime; quietMs(): number } {
  let running = 0;
  let last = performance.now();
  return {
    call: async (method, params, take) => {
      if (LOOKS.has(method)) return await call(method, params, take);
      running++;
      try {
        return await call(method, params, take);
      } finally {
        running--;
        last = performance.now();
      }
    },
    quietMs: () => (running > 0 ? 0 : performance.now() - last),
  };
}
