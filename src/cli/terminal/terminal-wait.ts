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

const FIRST_LOOK_MS = 20;
const LATER_LOOKS_MS = 250;
/** Something the program left behind may hold its output open for ever. */
const OUTPUT_PATIENCE_MS = 1000;

/** `tacho terminal wait`: the exit code is the session's. */
export async function waitForSession(selector: string, options: WaitOptions): Promise<void> {
  const timeout = durationOf('--timeout', options.timeout) ?? Number.POSITIVE_INFINITY;
  await withSession(selector, options, async (client, { session_id }) => {
    const session = await untilEnded(client, session_id, performance.now() + timeout);
    if (options.json) process.stdout.write(`${JSON.stringify(session)}\n`);
    else if (!session.end) process.stderr.write('tacho: timed out; the session is still running\n');
    process.exitCode = session.end ? exitCodeOf(session.end) : TIMED_OUT;
  });
}

/** Asks again and again: to wait for output would count as use, and a session that nobody uses may have to end. */
async function untilEnded(client: RuntimeClient, session_id: string, deadline: number): Promise<SessionInfo> {
  let endedAt: number | null = null;
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LATER_LOOKS_MS, pause * 1.5)) {
    const session = await look(client, session_id);
    const now = performance.now();
    if (session.exited) endedAt ??= now;
    if (session.closed || (endedAt ?? now) + OUTPUT_PATIENCE_MS < now) return session;
    if (!session.exited && now >= deadline) return session;
    await sleep(Math.min(pause, Math.max(1, deadline - now)));
  }
}

async function look(client: RuntimeClient, session_id: string): Promise<SessionInfo> {
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
