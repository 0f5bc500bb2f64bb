import os from 'node:os';
import { TachoError } from '../../protocol/index.ts';
import {
  type CheckedParams,
  type CommandResult,
  type ExecOutput,
  RUNTIME_METHODS,
  type RunCommand,
  type RuntimeMethod,
  type RuntimeParams,
  type RuntimeResult,
  type StreamName,
} from '../../protocol/terminal/index.ts';
import { decodeBytes, encodeBytes } from '../encode-bytes.ts';
import type { BegunCommand } from './begun-commands.ts';
import { PtySession } from './pty-session.ts';
import type { RuntimeSessions } from './runtime-sessions.ts';
import { waitForScreen } from './wait-for-screen.ts';

/** The methods about sessions; the daemon implements the others. */
export type SessionMethod = Extract<RuntimeMethod, `session.${string}` | `exec.${string}`>;

/** Receives output of a streamed command; the next piece follows when the returned promise resolves. */
export type TakeOutput = (output: ExecOutput) => Promise<void> | void;

type Handlers = {
  [M in SessionMethod]: (
    sessions: RuntimeSessions,
    params: CheckedParams<M>,
    take: TakeOutput,
  ) => Promise<RuntimeResult<M>> | RuntimeResult<M>;
};

const STREAM_PIECE_BYTES = 256 * 1024;
const STREAM_WAIT_MS = 60_000;

const HANDLERS: Handlers = {
  'session.create': async (sessions, params) => (await sessions.create(params)).info(),
  'session.list': (sessions) => ({ sessions: sessions.list().map((session) => session.info()) }),
  'session.info': (sessions, { session_id }) => sessions.find(session_id).info(),
  'session.destroy': async (sessions, { session_id }) => (await sessions.destroy(session_id)).info(),
  'session.read': (sessions, { session_id, ...params }) => sessions.find(session_id).read(params),
  'session.write': (sessions, { session_id, end, write_id, ...bytes }) =>
    sessions.find(session_id).write({ bytes: decodeBytes(bytes), end, writeId: write_id }),
  'session.resize': (sessions, { session_id, cols, rows }) => {
    sessions.find(session_id).resize(cols, rows);
    return {};
  },
  'session.signal': (sessions, { session_id, signal }) => {
    if (!isSignal(signal)) throw new TachoError('INVALID_PARAMS', `there is no signal ${signal}`);
    return { reached: sessions.find(session_id).signal(signal) };
  },
  'session.attach': (sessions, { session_id, client_id }) => findPty(sessions, session_id).attach(client_id),
  'session.detach': (sessions, { session_id, client_id }) => {
    findPty(sessions, session_id).detach(client_id);
    return {};
  },
  'session.screen': (sessions, { session_id, ...wait }) => waitForScreen(findPty(sessions, session_id), wait),
  'exec.run': async (sessions, params) => await (await sessions.begin(params)).result,
  'exec.stream': async (sessions, params, take) => await streamCommand(await sessions.begin(params), params, take),
  'exec.cancel': async (sessions, { exec_id }) => ({ canceled: await sessions.cancel(exec_id) }),
};

export function isSessionMethod(method: string): method is SessionMethod {
  return Object.hasOwn(HANDLERS, method);
}

/** Calls one method: validates the params, runs it, and returns the result. */
export async function callSession<M extends SessionMethod>(
  sessions: RuntimeSessions,
  method: M,
  params: RuntimeParams<M>,
  take: TakeOutput = () => {},
): Promise<RuntimeResult<M>> {
  return await HANDLERS[method](sessions, checkParams(method, params), take);
}

/** The params with defaults; rejected if they do not match the schema. */
export function checkParams<M extends RuntimeMethod>(method: M, params: unknown): CheckedParams<M> {
  const checked = RUNTIME_METHODS[method].params.safeParse(params);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue?.path.join('.');
    throw new TachoError('INVALID_PARAMS', `${method}: ${where ? `${where}: ` : ''}${issue?.message}`, {
      facts: { method, path: issue?.path ?? [] },
    });
  }
  return checked.data as CheckedParams<M>;
}

/** Streams the output as it comes, up to where the result says that the command's output ends. */
async function streamCommand(
  { execId, session, from, result }: BegunCommand,
  { encoding, when_behind }: RunCommand,
  take: TakeOutput,
): Promise<CommandResult> {
  let ends: Record<StreamName, number> | null = null;
  let refused = false;
  const wake = (): void => {
    for (const buffer of Object.values(session.streams)) buffer.wakeReaders();
  };
  const ended = result.then(
    ({ stdout, stderr }) => {
      ends = { stdout: stdout.to, stderr: stderr.to };
      wake();
    },
    (error) => {
      refused = true;
      wake();
      throw error;
    },
  );
  const pump = async (stream: StreamName): Promise<void> => {
    const buffer = session.streams[stream]!;
    for (let after = from[stream]; ; ) {
      const to: number | undefined = ends?.[stream];
      if (refused || (to !== undefined && after >= to)) return;
      const maxBytes = Math.min(STREAM_PIECE_BYTES, to === undefined ? STREAM_PIECE_BYTES : to - after);
      const read = await buffer.read({ after, maxBytes, waitMs: to === undefined ? STREAM_WAIT_MS : 0 });
      if (read.bytes.length > 0) {
        if (when_behind === 'wait') session.holdOutput(stream);
        try {
          await take({ exec_id: execId, stream, from: read.from, ...encodeBytes(read.bytes, encoding) });
        } finally {
          if (when_behind === 'wait') session.releaseOutput(stream);
        }
      }
      after = read.next;
      // Nothing more will come, and a read would return at once.
      if (read.closed && to === undefined) await ended;
    }
  };
  await Promise.all([ended, pump('stdout'), pump('stderr')]);
  return await result;
}

function findPty(sessions: RuntimeSessions, id: string): PtySession {
  const session = sessions.find(id);
  if (session instanceof PtySession) return session;
  throw new TachoError('INVALID_PARAMS', `a ${session.options.kind} session has no screen`);
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(os.constants.signals, name);
}
