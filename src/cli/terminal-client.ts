import { selfCommand } from '../config/index.ts';
import { type SessionInfo, TachoError } from '../protocol/index.ts';
import { ensureServer, type RuntimeClient } from '../runtime/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Does something with the daemon of the workspace, which is started when there is none. */
export async function withRuntime<T>(
  { workspace = process.cwd() }: RuntimeOptions,
  act: (client: RuntimeClient) => Promise<T>,
): Promise<T> {
  const client = ensureServer({ workspace, command: selfCommand(), environment: process.env });
  try {
    return await act(client);
  } finally {
    client.close();
  }
}

/** The session of that id or name, or the only one whose id begins so. */
export async function findSession(client: RuntimeClient, selector: string): Promise<SessionInfo> {
  const { sessions } = await client.call('session.list', {});
  const exact = sessions.filter(({ session_id, name }) => session_id === selector || name === selector);
  const found = exact.length > 0 ? exact : sessions.filter(({ session_id }) => session_id.startsWith(selector));
  if (found.length === 1) return found[0]!;
  const candidates = found.map(({ session_id }) => session_id);
  throw new TachoError(
    'SESSION_NOT_FOUND',
    found.length === 0 ? `there is no session ${selector}` : `${selector} fits ${found.length} sessions`,
    { facts: { selector, candidates }, fix: 'List them with: tacho terminal ls' },
  );
}
