import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionInfo, TachoError } from '../../protocol/index.ts';
import type { RuntimeClient } from '../../runtime/index.ts';
import { durationOf } from '../run/record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { withSession } from './terminal-client.ts';
import { exitCodeOf, TIMED_OUT } from './terminal-exit.ts';

export interface WaitOptions extends RuntimeOptions {
  timeout?: string;
}

const MIN_POLL_INTERVAL_MS = 20;
const MAX_POLL_INTERVAL_MS = 250;
/** A process that the program left behind may keep its output open forever. */
const OUTPUT_TIMEOUT_MS = 1000;

/** `tacho terminal wait`: exits with the session's code. */
export async function waitForSession(selector: string, options: WaitOptions): Promise<void> {
  const timeout = durationOf('--timeout', options.timeout) ?? Number.POSITIVE_INFINITY;
  await withSession(selector, options, async (client, { session_id }) => {
    const session = await untilEnded(client, session_id, performance.now() + timeout);
    if (options.json) process.stdout.write(`${JSON.stringify(session)}\n`);
    else if (!session.end) process.stderr.write('tacho: timed out; the session is still running\n');
    process.exitCode = session.end ? exitCodeOf(session.end) : TIMED_OUT;
  });
}

/** Polls: waiting for output would count as use and keep an idle session alive. */
async function untilEnded(client: RuntimeClient, session_id: string, deadline: number): Promise<SessionInfo> {
  let endedAt: number | null = null;
  for (let pause = MIN_POLL_INTERVAL_MS; ; pause = Math.min(MAX_POLL_INTERVAL_MS, pause * 1.5)) {
    const session = await readSession(client, session_id);
    const now = performance.now();
    if (session.exited) endedAt ??= now;
    if (session.closed || (endedAt ?? now) + OUTPUT_TIMEOUT_MS < now) return session;
    if (!session.exited && now >= deadline) return session;
    await sleep(Math.min(pause, Math.max(1, deadline - now)));
  }
}

async function readSession(client: RuntimeClient, session_id: string): Promise<SessionInfo> {
  try {
    return await client.call('session.info', { session_id });
  } catch (error) {
    if (!(error instanceof TachoError && error.code === 'SESSION_NOT_FOUND')) throw error;
    throw new TachoError('SESSION_NOT_FOUND', `${session_id} was ended and removed by another client`, {
      facts: { session_id },
      fix: 'Wait for a session that ends by itself; a killed session cannot be waited for.',
    });
  }
}
