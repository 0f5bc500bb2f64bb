import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, openRegularHandle } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentEventType } from '../../protocol/index.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import { lineStartOf, readLineHead } from '../../record/line-head.ts';
import { isAgentRunId, pathsIn, type RunPaths, runsFolder } from './run-folder.ts';

/** An agent run of a workspace, by the first and the last line of its log. Neither is checked against the chain. */
export interface AgentRunEntry {
  run_id: string;
  locator: string;
  started_at: string | null;
  /** Null while there is no event. */
  last: { seq: number; ts: string; type: AgentEventType } | null;
  /** Whether a process has it open. */
  held: boolean;
  /** Why nothing can be said about it. */
  problem: string | null;
}

type FileHandle = Awaited<ReturnType<typeof openRegularHandle>>;

const HEAD_BYTES = 4096;
const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

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
    last: null,
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
  const first = headOf(await bytesAt(handle, 0, HEAD_BYTES), lineStart);
  const line = await lastLine(handle, size);
  if (line === null) return size > MAX_LINE_BYTES ? { problem: 'the log has a line that is too long' } : {};
  const last = headOf(line, lineStart);
  if (first?.seq === 1 && last !== null) return { started_at: first.ts, last };
  return { problem: 'the log is not that of this run' };
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
