import { identityOf, isAlive, pollUntil } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { findServer } from '../../runs/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { openContext } from '../context.ts';

/** Includes the time to close streams. */
const TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/** `tacho stop`: ends the server of the data folder; live runs keep running. Succeeds without a server. */
export async function stopServer(options: CommonOptions): Promise<void> {
  const { home } = openContext(options);
  const server = findServer(home);
  if (!server) {
    process.stdout.write(options.json ? `${JSON.stringify({ stopped: null })}\n` : 'No server is running.\n');
    return;
  }
  const identity = identityOf(server.pid);
  sendTerm(server.pid);
  const gone = await pollUntil(() => identity === null || !isAlive(identity), {
    everyMs: POLL_INTERVAL_MS,
    timeoutMs: TIMEOUT_MS,
  });
  if (!gone) {
    throw new TachoError('SERVER_RUNNING', `the server (process ${server.pid}) did not stop within 30 seconds`, {
      facts: server,
      fix: `See its log (tacho logs), or kill it: kill -9 ${server.pid}`,
    });
  }
  const text = `stopped the server at ${server.url}; live runs keep running\n`;
  process.stdout.write(options.json ? `${JSON.stringify({ stopped: server })}\n` : text);
}

function sendTerm(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // It just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
