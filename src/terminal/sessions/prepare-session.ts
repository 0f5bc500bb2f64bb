import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import type { CreateSession, SandboxRequest } from '../../protocol/terminal/index.ts';
import { Confinement } from '../limits/confinement.ts';
import { limitUnavailable } from '../limits/resource-limits.ts';
import { buildEnvironment } from './environment.ts';
import type { SessionOptions } from './session.ts';
import { programOf } from './session-program.ts';
import type { OpenRecording, SessionRecording } from './session-recording.ts';

export interface PrepareOptions {
  /** Default working folder of sessions. */
  workspace: string;
  /** Environment from which sessions inherit. */
  environment: NodeJS.ProcessEnv;
  enterSandbox?: EnterSandbox;
  /** Records sessions as runs. */
  openRecording?: OpenRecording | undefined;
}

/** Returns the command prefix that gives a program the requested view, or why that is impossible. */
export type EnterSandbox = (
  request: SandboxRequest,
  place: { workspace: string; cwd: string; environment: Record<string, string> },
) => Promise<EnteredSandbox | { why: string }>;

export interface EnteredSandbox {
  argv: string[];
  /** Files and folders created for it. */
  made: string[];
  /** Must be called when no process of the program is left. */
  leave(): void;
}

/** Prepares everything that a session needs before it is opened. */
export async function prepareSession(params: CreateSession, options: PrepareOptions): Promise<SessionOptions> {
  const id = `s-${randomBytes(6).toString('hex')}`;
  const cwd = resolveFolder(params.cwd, options);
  const environment = buildEnvironment(params.env, options.environment);
  // From here on there is something to clean up.
  const entered = params.sandbox ? await enter(params.sandbox, { cwd, environment }, options) : null;
  try {
    const confinement = Confinement.open(params.limits, id);
    const entry = entered?.argv ?? [];
    return { ...params, id, cwd, environment, marker: randomUUID(), entry, entered, confinement, recording: null };
  } catch (error) {
    entered?.leave();
    throw error;
  }
}

export async function openRecordingOf(
  session: SessionOptions,
  { openRecording }: PrepareOptions,
): Promise<SessionRecording> {
  if (!openRecording) throw limitUnavailable({ record: 'this runtime keeps no runs' });
  const { id, kind, name = null, cwd, environment, marker, cols, rows } = session;
  const argv = programOf(session);
  const split = kind !== 'pty' || session.split;
  return await openRecording({ id, kind, name, argv, cwd, environment, marker, split, cols, rows });
}

async function enter(
  request: SandboxRequest,
  { cwd, environment }: { cwd: string; environment: Record<string, string> },
  { enterSandbox, workspace }: PrepareOptions,
): Promise<EnteredSandbox> {
  const entered = await enterSandbox?.(request, { workspace, cwd, environment });
  if (entered && 'argv' in entered) return entered;
  throw limitUnavailable({ sandbox: entered?.why ?? 'this runtime has none' });
}

/** The working folder of a session; the workspace by default. */
export function resolveFolder(cwd: string | undefined, { workspace }: PrepareOptions): string {
  const folder = path.resolve(workspace, cwd ?? '.');
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new TachoError('INVALID_PARAMS', `${folder} is not a folder`, { facts: { cwd: folder } });
}
