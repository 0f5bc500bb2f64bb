import fs from 'node:fs';
import path from 'node:path';
import { openRegularFile, readAt } from '../../files/index.ts';

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** What the ends of an agent's log say about it. */
export interface AgentLogEnds {
  /** It works for another agent, which shows it. */
  isChild: boolean;
  /** It begins with the events of another run. */
  isFork: boolean;
  /** Type of its last event; null if that is not known. */
  lastType: string | null;
}

/** Null while the log has no first line, or if that is not one of an agent. */
export function readAgentLogEnds(log: string): AgentLogEnds | null {
  const fd = openRegularFile(log);
  try {
    const { size } = fs.fstatSync(fd);
    const head = readAt(fd, 0, Math.min(size, HEAD_BYTES));
    const end = head.indexOf(LINE_FEED);
    const first = end < 0 ? null : parsed(head.subarray(0, end));
    if (first?.type !== 'run_started') return null;
    const { parent, forked_from } = (first.data ?? {}) as { parent?: unknown; forked_from?: unknown };
    const isFork = Boolean(forked_from);
    return { isChild: Boolean(parent) && !isFork, isFork, lastType: lastType(fd, size) };
  } finally {
    fs.closeSync(fd);
  }
}

/** A link in place of a folder of the log could lead anywhere. */
export function isPlainPlace(workspace: string, log: string): boolean {
  const folders = [path.dirname(log)];
  while (folders[0] !== workspace && folders[0] !== '/') folders.unshift(path.dirname(folders[0]!));
  return folders.slice(1).every((folder) => fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function lastType(fd: number, size: number): string | null {
  const tail = readAt(fd, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES));
  const end = tail.lastIndexOf(LINE_FEED);
  const start = end > 0 ? tail.lastIndexOf(LINE_FEED, end - 1) : -1;
  if (end < 0 || (start < 0 && size > TAIL_BYTES)) return null;
  const { type } = parsed(tail.subarray(start + 1, end)) ?? {};
  return typeof type === 'string' ? type : null;
}

function parsed(bytes: Buffer): { type?: unknown; data?: unknown } | null {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
