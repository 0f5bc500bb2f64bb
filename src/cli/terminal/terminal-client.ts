import { type ErrorCode, type SessionInfo, TachoError } from '../../protocol/index.ts';
import { connectOrStart, ensureServer, findServer, locateRuntime, RuntimeClient } from '../../runtime/index.ts';
import { splitSessionId } from '../../runtime/targets/target-name.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Fixes for errors that the daemon reports without one. */
const FIXES: Partial<Record<ErrorCode, string>> = {
  SESSION_BUSY: 'Interrupt it with: tacho terminal signal <session> INT. Or open another session.',
  SESSION_TERMINATED:
    'See how it ended: tacho terminal info <session>. Read its output: tacho terminal read <session>.',
  SESSION_LIMIT_EXCEEDED: 'How it ended: tacho terminal info <session>.',
  MAX_SESSIONS_REACHED: 'End one with: tacho terminal kill <session>. Or all: tacho runtime cleanup.',
};

/** Calls `act` with the workspace's daemon, which is started if needed. */
export async function withRuntime<T>(options: RuntimeOptions, act: (client: RuntimeClient) => Promise<T>): Promise<T> {
  return await using(ensureServer(startOptions(options)), act);
}

/** Calls `act` with the running daemon; null without one, and then there are no sessions either. */
export async function withRunning<T>(
  options: RuntimeOptions,
  act: (client: RuntimeClient) => Promise<T>,
): Promise<T | null> {
  const client = await connectRunning(options);
  return client && (await using(client, act));
}

/** Calls `act` with one session. */
export async function withSession<T>(
  selector: string,
  options: RuntimeOptions,
  act: (client: RuntimeClient, session: SessionInfo) => Promise<T>,
): Promise<T> {
  const find = async (client: RuntimeClient) => await act(client, await findSession(client, selector));
  // A session on another target exists whether or not a local daemon runs.
  if (splitSessionId(selector)) return await withRuntime(options, find);
  const done = await withRunning(options, async (client) => ({ result: await find(client) }));
  if (done) return done.result;
  const { workspace } = locateRuntime(options.workspace ?? process.cwd());
  throw new TachoError('SESSION_NOT_FOUND', `there is no session ${selector}: no daemon serves ${workspace}`, {
    facts: { selector, workspace, candidates: [] },
    fix: 'Sessions belong to a workspace: say which with --workspace, or open one with: tacho terminal create',
  });
}

/**
 * The session with that id or name, or the only one whose id starts with it. Among sessions of one name, live ones come
 * first, then the last one that ended.
 */
export async function findSession(client: RuntimeClient, selector: string): Promise<SessionInfo> {
  const { sessions } = await client.call('session.list', {});
  const exact = sessions.find(({ session_id }) => session_id === selector);
  if (exact) return exact;
  if (splitSessionId(selector)) return await client.call('session.info', { session_id: selector });
  const named = sessions.filter(({ name }) => name === selector);
  const live = named.filter(({ exited }) => !exited);
  if (live.length === 0 && named.length > 0) return named.at(-1)!;
  const begun = sessions.filter(({ session_id }) => idThere(session_id).startsWith(selector));
  const found = live.length > 0 ? live : begun;
  if (found.length === 1) return found[0]!;
  const candidates = found.map(({ session_id }) => session_id);
  throw new TachoError(
    'SESSION_NOT_FOUND',
    found.length === 0 ? `there is no session ${selector}` : `${selector} can be ${candidates.join(' or ')}`,
    {
      facts: { selector, candidates },
      fix: found.length === 0 ? 'List them with: tacho terminal ls' : 'Say which by its id.',
    },
  );
}

/** The id without the target's name, as shown in lists. */
export function idThere(sessionId: string): string {
  return splitSessionId(sessionId)?.sessionId ?? sessionId;
}

function startOptions({ workspace = process.cwd() }: RuntimeOptions) {
  return { workspace };
}

/** The sessions of a daemon end with it, so a lost connection is not reopened. */
async function connectRunning(options: RuntimeOptions): Promise<RuntimeClient | null> {
  const found = await findServer(options.workspace ?? process.cwd());
  if (!found) return null;
  // The client owns and closes the found connection only after its first use.
  await using(found, (client) => client.call('system.ping', {}));
  let connected = false;
  return new RuntimeClient({
    reconnectMs: 0,
    connect: async () => {
      if (connected) throw new TachoError('SERVER_UNREACHABLE', 'the daemon is gone');
      connected = true;
      return await connectOrStart(startOptions(options));
    },
  });
}

async function using<T>(client: RuntimeClient, act: (client: RuntimeClient) => Promise<T>): Promise<T> {
  try {
    return await act(client);
  } catch (error) {
    throw error instanceof TachoError ? explain(error) : error;
  } finally {
    client.close();
  }
}

function explain(error: TachoError): TachoError {
  const { code, facts, cause } = error;
  const fix = error.fix ?? FIXES[code]?.replaceAll('<session>', String(facts.session_id ?? '<session>'));
  const lost = code === 'SERVER_UNREACHABLE' && fix === undefined;
  const message = lost ? 'the daemon of the workspace has ended, and its sessions with it' : error.message;
  const more = lost ? 'See its log: .tacho/runtime/server.stderr.log in the workspace' : fix;
  return new TachoError(code, message, { facts, cause, ...(more !== undefined && { fix: more }) });
}
