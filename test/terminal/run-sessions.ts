import os from 'node:os';
import { onTestFinished } from 'vitest';
import { RUNTIME_METHODS, type RuntimeParams, type RuntimeResult } from '../../src/protocol/terminal/index.ts';
import {
  callSession,
  RuntimeSessions,
  type RuntimeSessionsOptions,
  type SessionMethod,
  type TakeOutput,
} from '../../src/terminal/index.ts';

export interface SessionsUnderTest {
  sessions: RuntimeSessions;
  call<M extends SessionMethod>(method: M, params: RuntimeParams<M>, take?: TakeOutput): Promise<RuntimeResult<M>>;
}

/** Sessions that are destroyed when the test ends. Every answer is checked against its schema. */
export function openSessions(options: Partial<RuntimeSessionsOptions> = {}): SessionsUnderTest {
  const sessions = new RuntimeSessions({ workspace: os.tmpdir(), environment: process.env, ...options });
  onTestFinished(async () => void (await sessions.destroyAll()));
  return {
    sessions,
    call: async (method, params, take) => {
      const result = await callSession(sessions, method, params, take);
      RUNTIME_METHODS[method].result.parse(result);
      return result;
    },
  };
}

/** Reads stdout until it contains the text. */
export async function untilPrinted(
  { call }: SessionsUnderTest,
  session_id: string,
  text: string,
  after = 0,
): Promise<string> {
  let printed = '';
  for (let cursor = after; !printed.includes(text); ) {
    const read = await call('session.read', { session_id, after: cursor, wait_ms: 60_000 });
    if (read.next === cursor) throw new Error(`did not print ${text}: ${printed}`);
    printed += read.data;
    cursor = read.next;
  }
  return printed;
}
