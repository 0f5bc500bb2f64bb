import { onTestFinished } from 'vitest';
import { ensureServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { command } from '../../acceptance/runtime/daemon.ts';

/** The daemon of a workspace, started as commands with that data folder start it; gone when the test is. */
export function daemonWith({ workspace, home }: { workspace: string; home: string }): RuntimeClient {
  const environment = { ...process.env, TACHO_HOME: home };
  const client = ensureServer({ workspace, command, environment, idleMs: 60_000 });
  onTestFinished(async () => {
    await client.call('runtime.shutdown', {}).catch(() => {}); // It may have ended before.
    client.close();
  });
  return client;
}
