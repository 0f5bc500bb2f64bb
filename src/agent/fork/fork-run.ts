import fs from 'node:fs';
import path from 'node:path';
import { descriptorPath, errnoOf, openRegularFile } from '../../files/index.ts';
import { TachoError } from '../../protocol/error-code.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import type { AgentOptions } from '../options.ts';
import { openRecordedRun, walLocator } from '../wal/index.ts';
import { copyWorkspace } from './copy-workspace.ts';
import { type DataEdit, editOf, type ForkEdit } from './edit-event.ts';
import { FilesAtEvent } from './files-at.ts';
import { ForkTarget } from './fork-target.ts';
import { restoreFiles } from './restore-files.ts';
import { writeForkLog } from './write-fork-log.ts';

export interface ForkOptions {
  /** `seq` of the last event that both runs have in common; of an end, the event before it. */
  at: number;
  /** Workspace of the fork: a new or empty folder outside of this one. */
  into: string;
  /** Changes the event at `at`. */
  edit?: ForkEdit | undefined;
  /** What the user says then. */
  send?: string | undefined;
  /** A name of your own for the new run. */
  runId?: string | undefined;
}

export interface NotRestored {
  /** Below the workspace; `.` for all of it. */
  path: string;
  reason: string;
}

export interface ForkResult {
  runId: string;
  /** Absolute path of the log. */
  locator: string;
  /** Pass it to an agent, which then continues with `resume(runId)`. */
  workspaceRoot: string;
  /** How many paths that the run had changed are as they were at the event. */
  restored: number;
  notRestored: NotRestored[];
}

const ENDS: ReadonlySet<string> = new Set(['run_completed', 'run_failed', 'run_cancelled']);

/** Makes a run of its own from the beginning of another one, with the files as they were. The other one stays as it is. */
export async function forkRun<Output>(
  options: Pick<AgentOptions<Output>, 'workspaceRoot' | 'secrets' | 'clock'>,
  sourceId: string,
  { at, into, edit, send, runId }: ForkOptions & { runId: string },
): Promise<ForkResult> {
  if (runId === sourceId) throw misuse('the fork has the id of the run itself', 'Pass another runId, or none.');
  const workspaceRoot = fs.realpathSync(options.workspaceRoot);
  const { events, finished, last } = await readRun(walLocator(workspaceRoot, sourceId), at);
  const dataEdit = checkedEdit({ events, last, at, edit, send });
  if (ENDS.has(events.at(-1)!.type)) events.pop();
  // Opened after the log was read, so it has everything that the events name even if the run continues.
  const source = openRecordedRun(walLocator(workspaceRoot, sourceId));
  try {
    const files = new FilesAtEvent(at, source.vault);
    for (const event of finished) files.push(event);
    const target = ForkTarget.open(into, workspaceRoot);
    try {
      const { restored, notRestored } = await restoreFiles({
        from: workspaceRoot,
        to: target.root,
        files,
        vault: source.vault,
      });
      await copySkills(workspaceRoot, target.root);
      const folder = target.stageRun(runId);
      const sourceFolder = path.dirname(source.locator);
      await copyPrivately(path.join(sourceFolder, 'vault'), path.join(folder, 'vault'));
      notRestored.push(...(await copyArtifacts(events, sourceFolder, folder)));
      await writeForkLog({
        events,
        edit: dataEdit,
        send,
        workspaceRoot: target.staging,
        runId,
        secrets: options.secrets ?? [],
        clock: options.clock,
        forked: {
          run_id: sourceId,
          seq: at,
          wal_locator: source.locator,
          workspace: target.root,
          edited: dataEdit !== null,
          restored,
          not_restored: notRestored.slice(0, MAX_LOGGED),
        },
      });
      target.finish();
      return { runId, locator: walLocator(target.root, runId), workspaceRoot: target.root, restored, notRestored };
    } catch (error) {
      target.remove();
      throw error;
    }
  } finally {
    source.close();
  }
}

const MAX_LOGGED = 1000;

/** All of the log is read and checked: later events say what files were before. */
async function readRun(
  locator: string,
  at: number,
): Promise<{ events: AgentEvent[]; finished: AgentEvent<'tool_call_finished'>[]; last: number }> {
  const recorded = openRecordedRun(locator);
  try {
    const events: AgentEvent[] = [];
    const finished: AgentEvent<'tool_call_finished'>[] = [];
    let last = 0;
    for await (const event of recorded.read()) {
      if (event.seq <= at) events.push(event);
      if (event.type === 'tool_call_finished') finished.push(event);
      last = event.seq;
    }
    return { events, finished, last };
  } finally {
    recorded.close();
  }
}

interface Checked {
  events: readonly AgentEvent[];
  last: number;
  at: number;
  edit: ForkEdit | undefined;
  send: string | undefined;
}

function checkedEdit({ events, last, at, edit, send }: Checked): DataEdit | null {
  const event = events.at(-1);
  if (!Number.isInteger(at) || !event || event.seq !== at) {
    throw misuse(`the run has no event ${at}`, `Pass the seq of one of its events, from 1 to ${last}.`);
  }
  if (send !== undefined && send.trim() === '') throw misuse('send is empty', 'Leave it out, or say something.');
  const task = events.find(
    ({ type, data }) => type === 'user_message' && (data as { origin: string }).origin === 'task',
  );
  if (!task && send === undefined) {
    throw misuse(`the run has no task at event ${at} yet`, 'Fork at a later event, or pass `send` with a task.');
  }
  return editOf(event, edit);
}

/** Skills that were added to a workspace are part of it, though they are below tacho's own folder. */
async function copySkills(from: string, to: string): Promise<void> {
  const skills = path.join(from, '.tacho', 'skills');
  if (!fs.lstatSync(skills, { throwIfNoEntry: false })?.isDirectory()) return;
  const target = path.join(to, '.tacho', 'skills');
  fs.mkdirSync(target, { mode: 0o700 });
  await copyWorkspace({ from: skills, to: target, skip: () => false });
}

async function copyArtifacts(events: readonly AgentEvent[], from: string, to: string): Promise<NotRestored[]> {
  const missing: NotRestored[] = [];
  for (const event of events) {
    const name = event.type === 'tool_call_finished' ? event.data.artifact : undefined;
    if (name === undefined) continue;
    const artifact = path.join('artifacts', path.basename(name));
    try {
      await copyPrivately(path.join(from, artifact), path.join(to, artifact));
    } catch (error) {
      if (errnoOf(error) === undefined || errnoOf(error) === 'ENOSPC') throw error;
      missing.push({ path: artifact, reason: `the output of a call could not be copied (${errnoOf(error)})` });
    }
  }
  return missing;
}

async function copyPrivately(from: string, to: string): Promise<void> {
  const fd = openRegularFile(from);
  try {
    await fs.promises.copyFile(descriptorPath(fd), to, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(to, 0o600);
  } finally {
    fs.closeSync(fd);
  }
}

function misuse(what: string, fix: string): TachoError {
  return new TachoError('USAGE', what, { fix });
}
