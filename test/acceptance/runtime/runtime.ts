import { onTestFinished } from 'vitest';
import type { CommandResult, RuntimeParams, RuntimeResult } from '../../../src/protocol/terminal/index.ts';
import {
  callSession,
  RuntimeSessions,
  type RuntimeSessionsOptions,
  type SessionMethod,
  type TakeOutput,
} from '../../../src/terminal/index.ts';
import { temporaryFolder } from '../../support/tacho.ts';

/** A runtime as a client sees it, in process or over a socket. */
export interface RuntimeUnderTest {
  workspace: string;
  call<M extends SessionMethod>(method: M, params: RuntimeParams<M>, take?: TakeOutput): Promise<RuntimeResult<M>>;
}

/** Sessions in this process; they are destroyed when the test ends. */
export function runtimeInProcess(options: Partial<RuntimeSessionsOptions> = {}): RuntimeUnderTest {
  const workspace = temporaryFolder();
  const sessions = new RuntimeSessions({ workspace, environment: process.env, ...options });
  onTestFinished(async () => void (await sessions.destroyAll()));
  return { workspace, call: (method, params, take) => callSession(sessions, method, params, take) };
}

export interface Shell {
  id: string;
  runtime: RuntimeUnderTest;
  run(command: string, params?: Partial<RuntimeParams<'exec.run'>>): Promise<CommandResult>;
  info(): Promise<RuntimeResult<'session.info'>>;
}

export async function openShell(
  runtime: RuntimeUnderTest,
  params: RuntimeParams<'session.create'> = {},
): Promise<Shell> {
  const { session_id: id } = await runtime.call('session.create', { kind: 'shell', kill_grace_ms: 500, ...params });
  return {
    id,
    runtime,
    run: (command, more) => runtime.call('exec.run', { session_id: id, command, timeout_ms: 100_000, ...more }),
    info: () => runtime.call('session.info', { session_id: id }),
  };
}

/**
 * Runs a command that prints and then never ends, with a timeout that expires after it has printed: a short one first,
 * then longer ones if the machine was too slow.
 */
export async function timeOutAfterOutput(
  run: (timeout_ms: number) => Promise<CommandResult>,
  hasBegun: (result: CommandResult) => boolean = ({ stdout }) => stdout.data !== '',
): Promise<CommandResult> {
  for (let timeout_ms = 50; ; timeout_ms *= 2) {
    const result = await run(timeout_ms);
    if (!result.timed_out || hasBegun(result)) return result;
  }
}

/** The parts of a result that depend on the command. */
export function brief({ exit_code, signal, session_state, stdout, stderr }: CommandResult) {
  return { exit_code, signal, session_state, stdout: stdout.data, stderr: stderr.data };
}

/** The result of a successful command. */
export function printed(stdout: string, more: Partial<ReturnType<typeof brief>> = {}) {
  return { exit_code: 0, signal: null, session_state: 'idle', stdout, stderr: '', ...more };
}

/** All bytes of a stream from a cursor to `to` or the end. */
export async function readAll(
  runtime: RuntimeUnderTest,
  session_id: string,
  { after = 0, to = Number.POSITIVE_INFINITY, stream = 'stdout' as const } = {},
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let cursor = after; cursor < to; ) {
    const read = await runtime.call('session.read', {
      session_id,
      stream,
      after: cursor,
      max_bytes: 1_048_576,
      wait_ms: 20_000,
    });
    if (read.truncated_before !== null) throw new Error(`fell behind: ${cursor} of ${read.truncated_before}`);
    pieces.push(Buffer.from(read.data, read.encoding));
    cursor = read.next;
    if (read.closed) break;
  }
  return Buffer.concat(pieces);
}
