import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, openRegularHandle } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentData, type AgentEventType } from '../../protocol/index.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import { lineStartOf, readLineHead } from '../../record/line-head.ts';
import { isAgentRunId, pathsIn, type RunPaths, runPaths, runsFolder } from './run-folder.ts';

/** An agent run of a workspace, by the first and the last line of its log. Neither is checked against the chain. */
export interface AgentRunEntry {
  run_id: string;
  locator: string;
  started_at: string | null;
  /** The run that it works for, as a child agent. */
  parent: { run_id: string; call_id: string } | null;
  /** Null while there is no event. */
  last: { seq: number; ts: string; type: AgentEventType } | null;
  /** Approvals and questions, of a run that ended waiting. None: it was closed. */
  waits_for: string[] | null;
  /** Whether a process has it open. */
  held: boolean;
  /** Why nothing can be said about it. */
  problem: string | null;
}

type FileHandle = Awaited<ReturnType<typeof openRegularHandle>>;

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** What a run is, as far as its last event and its lock say. `interrupted`: its process died. */
type RunListStatus = 'running' | 'waiting' | 'closed' | 'completed' | 'failed' | 'cancelled' | 'interrupted';

export function statusOfRun({ last, held, waits_for }: AgentRunEntry): RunListStatus {
  switch (last?.type) {
    case 'run_completed':
      return 'completed';
    case 'run_failed':
      return 'failed';
    case 'run_cancelled':
      return 'cancelled';
    case 'run_waiting':
      return waits_for?.length === 0 ? 'closed' : 'waiting';
    default:
      return held ? 'running' : 'interrupted';
  }
}

/** One run of a workspace. */
export async function findAgentRun(workspaceRoot: string, runId: string): Promise<AgentRunEntry> {
  return await entryOf(runPaths(workspaceRoot, runId));
}

/** All agent runs of a workspace, the newest first. What is not the folder of a run is left out. */
export async function listAgentRuns(workspaceRoot: string): Promise<AgentRunEntry[]> {
  const folder = runsFolder(workspaceRoot);
  const entries: AgentRunEntry[] = [];
  for (const name of foldersIn(folder)) entries.push(await entryOf(pathsIn(path.join(folder, name))));
  return entries.sort(
    (one, other) => compare(other.started_at ?? '', one.started_at ?? '') || compare(one.run_id, other.run_id),
  );
}

function foldersIn(folder: string): string[] {
  // A link could lead anywhere.
  const isFolder = (name: string) => lstatSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
  try {
    if (!isFolder(path.dirname(folder)) || !isFolder(folder)) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isAgentRunId(entry.name))
      .map(({ name }) => name);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

async function entryOf(paths: RunPaths): Promise<AgentRunEntry> {
  const entry: AgentRunEntry = {
    run_id: paths.runId,
    locator: paths.log,
    started_at: null,
    parent: null,
    last: null,
    waits_for: null,
    held: false,
    problem: null,
  };
  try {
    entry.held = isLocked(paths.folder);
    const handle = await openRegularHandle(paths.log);
    try {
      return { ...entry, ...(await endsOf(handle, paths.runId)) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    const problem = errnoOf(error) === 'ENOENT' ? 'there is no log' : `the log cannot be read (${errnoOf(error)})`;
    return { ...entry, problem };
  }
}

async function endsOf(handle: FileHandle, runId: string): Promise<Partial<AgentRunEntry>> {
  const lineStart = lineStartOf(runId, AGENT_VERSION);
  const { size } = await handle.stat();
  const firstLine = await lineAtStart(handle);
  const first = firstLine && headOf(firstLine, lineStart);
  const line = await lastLine(handle, size);
  if (line === null) return size > MAX_LINE_BYTES ? { problem: 'the log has a line that is too long' } : {};
  const last = headOf(line, lineStart);
  if (first?.seq !== 1 || last === null) return { problem: 'the log is not that of this run' };
  return {
    started_at: first.ts,
    last,
    parent: (dataOf<'run_started'>(firstLine!)?.parent as AgentRunEntry['parent']) ?? null,
    waits_for: last.type === 'run_waiting' ? waitsFor(line) : null,
  };
}

function waitsFor(line: Buffer): string[] {
  const { approvals = [], questions = [] } = dataOf<'run_waiting'>(line) ?? {};
  return [...approvals, ...questions];
}

/** Null if the line is not JSON, which reading the whole log reports. */
function dataOf<T extends AgentEventType>(line: Buffer): Partial<AgentData<T>> | null {
  try {
    return JSON.parse(line.toString()).data ?? null;
  } catch {
    return null;
  }
}

/** The first line, as far as it is complete; null if it is not there. */
async function lineAtStart(handle: FileHandle): Promise<Buffer | null> {
  for (let length = HEAD_BYTES; length <= MAX_LINE_BYTES; length *= 4) {
    const bytes = await bytesAt(handle, 0, length);
    const end = bytes.indexOf(LINE_FEED);
    if (end >= 0) return bytes.subarray(0, end);
    if (bytes.length < length) return null;
  }
  return null;
}

/** The last complete line; null if there is none. */
async function lastLine(handle: FileHandle, size: number): Promise<Buffer | null> {
  for (let length = TAIL_BYTES; ; length *= 4) {
    const tail = await bytesAt(handle, Math.max(0, size - length), length);
    const end = tail.lastIndexOf(LINE_FEED);
    const start = end > 0 ? tail.lastIndexOf(LINE_FEED, end - 1) : -1;
    if (end >= 0 && (start >= 0 || length >= size)) return tail.subarray(start + 1, end);
    if (length >= size || length > MAX_LINE_BYTES) return null;
  }
}

function headOf(line: Buffer, lineStart: Uint8Array): AgentRunEntry['last'] {
  const head = readLineHead(line, lineStart);
  const type = /^","type":"([a-z_]+)"/.exec(afterTs(line, lineStart, head))?.[1];
  return head && type ? { ...head, type: type as AgentEventType } : null;
}

/** The part of a line that has its type, where the writer puts it. */
function afterTs(line: Buffer, lineStart: Uint8Array, head: { seq: number; ts: string } | null): string {
  if (head === null) return '';
  const from = lineStart.length + String(head.seq).length + ',"ts":"'.length + head.ts.length;
  return line.toString('latin1', from, from + 64);
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
