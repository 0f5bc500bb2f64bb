import fs from 'node:fs';
import { readProcessStat } from '../../files/index.ts';
import { descendants } from '../processes/process-tree.ts';
import type { Session } from '../sessions/session.ts';

export interface SessionUsage {
  cpu_ms: number;
  rss_bytes: number;
  processes: number;
}

/** Linux reports times in hundredths of a second on every machine. */
const TICK_MS = 10;

/**
 * Current usage of a session. From its control group if it has one, which includes ended processes and the page cache;
 * otherwise from its processes and the children they have reaped.
 */
export function measureSession({ tree, end, options }: Session): SessionUsage {
  const counted = options.confinement?.usage() ?? null;
  const pids = counted?.processes ?? [...(end ? [] : [tree.leader]), ...descendants(tree).map(({ pid }) => pid)];
  const measured = pids.map(measureProcess).filter((usage) => usage !== null);
  const sum = (name: 'cpuMs' | 'rssBytes') => measured.reduce((total, usage) => total + usage[name], 0);
  return {
    cpu_ms: counted?.cpuMs ?? sum('cpuMs'),
    rss_bytes: counted?.memoryBytes ?? sum('rssBytes'),
    processes: measured.length,
  };
}

/** Null if it is gone. */
function measureProcess(pid: number): { cpuMs: number; rssBytes: number } | null {
  try {
    const stat = readProcessStat(pid);
    if (!stat) return null;
    const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
    return {
      cpuMs: stat.cpuTicks * TICK_MS,
      // Other files give it in pages, whose size differs between machines.
      rssBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
    };
  } catch {
    return null;
  }
}
