import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import type { CreateSession, SandboxRequest, SessionLimits } from '../../protocol/terminal/index.ts';
import { Confinement } from '../limits/confinement.ts';
import { limitUnavailable } from '../limits/resource-limits.ts';
import { strictestLimits } from '../limits/strictest-limits.ts';
import { MARKER_VARIABLE } from '../processes/process-tree.ts';
import type { SandboxEntry } from '../sandbox-entry.ts';
import { SHELL_DESCRIPTORS } from '../shells/shell-dialect.ts';
import { sessionEnvironment } from './environment.ts';
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

/** Prepares a program to run with the requested view, or says why that is impossible. */
export type EnterSandbox = (request: SandboxRequest, place: EnteredPlace) => Promise<EnteredSandbox | { why: string }>;

interface EnteredPlace {
  workspace: string;
  cwd: string;
  /** The whole environment of the program. */
  environment: Record<string, string>;
  /** The descriptor after those of the program, at which those of the entry begin. */
  firstDescriptor: number;
}

export interface EnteredSandbox {
  entry: SandboxEntry | null;
  /** Files and folders created for it. */
  made: string[];
  /** Must be called when no process of the program is left. */
  leave(): void;
  /** Variables of a program that is given no others. */
  defaults?: Readonly<Record<string, string>>;
  /** Limits that belong to the view. */
  limits?: SessionLimits;
}

/** Prepares everything that a session needs before it is opened. */
export async function prepareSession(params: CreateSession, options: PrepareOptions): Promise<SessionOptions> {
  const id = `s-${randomBytes(6).toString('hex')}`;
  const cwd = resolveFolder(params.cwd, options);
  const marker = randomUUID();
  const own = sessionEnvironment(params.kind, params.env, options.environment);
  // From here on there is something to clean up.
  const entered = await enter(params, { cwd, environment: { ...own, [MARKER_VARIABLE]: marker } }, options);
  const environment = { ...entered?.defaults, ...own };
  const limits = strictestLimits(params.limits, entered?.limits ?? {});
  try {
    const confinement = Confinement.open(limits, id);
    const entry = entered?.entry ?? null;
    return { ...params, id, cwd, environment, limits, marker, entry, entered, confinement, recording: null };
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
  { sandbox, kind }: CreateSession,
  place: Pick<EnteredPlace, 'cwd' | 'environment'>,
  { enterSandbox, workspace }: PrepareOptions,
): Promise<EnteredSandbox | null> {
  if (!sandbox) return null;
  const firstDescriptor = 3 + (kind === 'shell' ? SHELL_DESCRIPTORS : 0);
  const entered = await enterSandbox?.(sandbox, { ...place, workspace, firstDescriptor });
  if (entered && 'entry' in entered) return entered;
  throw limitUnavailable({ sandbox: entered?.why ?? 'this runtime has none' });
}

/** The working folder of a session; the workspace by default. */
export function resolveFolder(cwd: string | undefined, { workspace }: PrepareOptions): string {
  const folder = path.resolve(workspace, cwd ?? '.');
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new TachoError('INVALID_PARAMS', `${folder} is not a folder`, { facts: { cwd: folder } });
}
