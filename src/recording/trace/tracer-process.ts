import fs from 'node:fs';
import { readProcessStat } from '../../files/index.ts';

/** A process, identified so that a reused pid is not mistaken for it. */
interface Tracer {
  pid: number;
  startTime: string;
}

/** The current tracer of the process; null if it has none or is gone. */
export function tracerOf(pid: number): Tracer | null {
  let status: string;
  try {
    status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return null;
  }
  const tracer = Number(/^TracerPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const startTime = tracer > 0 ? readProcessStat(tracer)?.startTime : undefined;
  return startTime === undefined ? null : { pid: tracer, startTime };
}
