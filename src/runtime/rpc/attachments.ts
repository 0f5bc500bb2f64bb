import type { CallRuntime } from '../call-runtime.ts';

/** Whoever attaches by a connection is attached no longer than it lasts: a client that was killed does not detach. */
export function holdAttachments(call: CallRuntime): { call: CallRuntime; release(): void } {
  const held = new Map<string, Record<string, unknown>>();
  return {
    async call(method, params, take) {
      const result = await call(method, params, take);
      const key = JSON.stringify([params.session_id, params.client_id]);
      if (method === 'session.attach') held.set(key, params);
      if (method === 'session.detach') held.delete(key);
      return result;
    },
    release() {
      // A session that is gone by now has nobody attached.
      for (const params of held.values()) call('session.detach', params, () => {}).catch(() => {});
      held.clear();
    },
  };
}
