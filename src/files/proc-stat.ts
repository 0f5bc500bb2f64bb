import fs from 'node:fs';
import { isOutOfDescriptors } from './errno.ts';

/** One process as /proc/<pid>/stat shows it. */
export interface ProcessStat {
  pid: number;
  /** One letter: R, S, T, Z … */
  state: string;
  /** Dead and not collected. A process of which only the first thread has ended looks like one and is not. */
  zombie: boolean;
  parent: number;
  processGroup: number;
  session: number;
  /** The process group in the foreground of its terminal; -1 without a terminal. */
  foregroundGroup: number;
  /** Time on the processor, its own and that of children it waited for, in clock ticks. */
  cpuTicks: number;
  /** Clock ticks since boot; with the pid it names a process for good. */
  startTime: string;
}

/** The process, or null when it is gone. Throws when no descriptor is left: a live process must not seem dead. */
export function readProcessStat(pid: number | 'self'): ProcessStat | null {
  try {
    return parseProcessStat(readAtOnce(`/proc/${pid}/stat`));
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return null;
  }
}

/** Several times what the longest takes. */
const buffer = Buffer.alloc(4096);

/** The kernel gives all of it to the first read. To find its size and its end, as for any file, takes half as long again. */
function readAtOnce(file: string): string {
  const fd = fs.openSync(file, 'r');
  try {
    return buffer.toString('latin1', 0, fs.readSync(fd, buffer, 0, buffer.length, null));
  } finally {
    fs.closeSync(fd);
  }
}

/** Exported for its test: the text of /proc/<pid>/stat. Null when it is not one. */
export function parseProcessStat(text: string): ProcessStat | null {
  // The command name may hold spaces and parentheses; the fields start after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid: Number.parseInt(text, 10),
    state,
    zombie: state === 'X' || (state === 'Z' && Number(fields[17]) <= 1),
    parent: Number(fields[1]),
    processGroup: Number(fields[2]),
    session: Number(fields[3]),
    foregroundGroup: Number(fields[5]),
    cpuTicks: fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0),
    startTime,
  };
}

/** True while exactly that process runs; a zombie does not, nor does another process with its pid. */
export function isRunning({ pid, startTime }: { pid: number; startTime?: string | undefined }): boolean {
  const found = readProcessStat(pid);
  return found !== null && !found.zombie && (startTime === undefined || found.startTime === startTime);
}
