import { createHash } from 'node:crypto';
import os from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { RuntimeParams, SandboxRequest, SessionInfo } from '../../protocol/index.ts';
import { openSandbox, type SandboxOptions, sandboxProfile } from '../../sandbox/index.ts';
import type { ExecRequest } from '../../tools/index.ts';

/** The sandbox of an agent, as its commands have it. */
export type TerminalSandbox = Omit<SandboxOptions, 'workspaceRoot' | 'backendPath'>;

/** Wide enough that few programs shorten what they print. */
export const SIZE = { cols: 120, rows: 40 };
/** Terminals are for reading by a model: without colours, and without a program that waits for a key at each page. */
const ENVIRONMENT = { LANG: 'C.UTF-8', TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat' };
/** Kept for a call that comes later; grows as needed. */
export const BUFFER_BYTES = 4 * 1024 * 1024;
const KILL_GRACE_MS = 1000;
/** Ends a terminal whose agent never came back. */
const IDLE_MS = 24 * 3_600_000;
const MAX_CALL_ID = 60;
/** What the daemon of this workspace names its own sessions; those of targets have longer ids. */
const SESSION_ID = /^s-[0-9a-f]+$/;

/** The request for a session in which a command of an agent runs, confined like its other commands. */
export async function sessionRequest(
  { argv, cwd, env, callId }: ExecRequest,
  { workspace, runId, sandbox }: { workspace: string; runId: string; sandbox: TerminalSandbox },
): Promise<RuntimeParams<'session.create'>> {
  const request = sandboxRequest(sandbox);
  return {
    kind: 'pty',
    name: `${namePrefix(runId)}${callId.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_CALL_ID)}`,
    argv: [...argv],
    cwd,
    env: {
      inherit: 'none',
      set: { ...(request ? {} : await ownEnvironment(workspace, sandbox)), ...ENVIRONMENT, ...env },
    },
    ...SIZE,
    buffer_bytes: BUFFER_BYTES,
    kill_grace_ms: KILL_GRACE_MS,
    idle_ms: IDLE_MS,
    ...(request ? { sandbox: request } : {}),
  };
}

/** Null without a sandbox, which has to be chosen by name. Throws for settings that no profile has. */
export function sandboxRequest(sandbox: TerminalSandbox): SandboxRequest | null {
  const { profile, network } = sandboxProfile(sandbox.profile, sandbox);
  if (profile === 'none') return null;
  const { read = [], write = [], hidden = [], fixed = [], dataFolder, home = os.homedir(), path } = sandbox;
  return {
    profile,
    network,
    workspace: 'write',
    read: [...read],
    write: [...write],
    hide: [...hidden, ...(dataFolder === undefined ? [] : [dataFolder])],
    fixed: [...fixed],
    home,
    ...(path === undefined ? {} : { path }),
  };
}

export function namePrefix(runId: string): string {
  return `agent:${runId}:`;
}

/** Whether an agent of this workspace opened the session. */
export function isOfAgent({ session_id, name }: SessionInfo): boolean {
  return isSessionId(session_id) && (name?.startsWith('agent:') ?? false);
}

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** A terminal with another sandbox may be less confined than the agent that wants to type into it. */
export function hasSandbox({ sandbox }: SessionInfo, wanted: SandboxRequest | null): boolean {
  const { path: _, ...one } = sandbox ?? {};
  const { path: __, ...other } = wanted ?? {};
  return isDeepStrictEqual(one, other);
}

/** The same for a call that is repeated, so that nothing is typed twice. */
export function writeId(runId: string, callKey: string): string {
  return `w-${createHash('sha256')
    .update(JSON.stringify([runId, callKey]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** How a program ended, as a shell reports it. */
export function exitCodeOf(end: NonNullable<SessionInfo['end']>): number {
  const { exit_code, signal } = end;
  if (exit_code !== null) return exit_code;
  return 128 + (os.constants.signals[(signal ?? 'SIGKILL') as NodeJS.Signals] ?? 0);
}

async function ownEnvironment(workspace: string, sandbox: TerminalSandbox): Promise<Record<string, string>> {
  const opened = await openSandbox({ ...sandbox, workspaceRoot: workspace });
  return 'why' in opened ? {} : opened.environment;
}
