import { hostname } from 'node:os';
import { isFlocked, ownIdentity, readRegularFile } from '../../files/index.ts';
import { type ProcessIdentity, TachoError } from '../../protocol/index.ts';

/** What a lock file says: who placed it, and whether that process has let go of it. */
type LockHolder = ProcessIdentity & { released: boolean };

export function lockText({ released }: { released: boolean }): string {
  const holder: LockHolder = { ...ownIdentity(), released };
  return `${JSON.stringify(holder)}\n`;
}

/** True while the process that placed the lock lives and has not released it. */
export function isHeld(path: string): boolean {
  return readHolder(path)?.released !== true && isFlocked(path);
}

/** RUN_LOCKED, with what the lock says of its holder. */
export function runLocked(path: string, run: string): TachoError {
  const holder = readHolder(path);
  const facts = { run, path, ...(holder ? { pid: holder.pid, host: holder.host } : {}) };
  const fix = 'Wait until it ends, or stop it.';
  return new TachoError('RUN_LOCKED', `Run ${run} is being written by ${describe(holder)}`, { facts, fix });
}

function describe(holder: LockHolder | null): string {
  if (holder === null) return 'another process';
  const { pid, host } = holder;
  if (host !== hostname()) return `process ${pid} on ${host}`;
  return pid === process.pid ? `this process (${pid})` : `process ${pid}`;
}

/** Null if the lock is gone or cannot be read. Checked by hand: whoever writes a log would load a schema for it. */
function readHolder(path: string): LockHolder | null {
  try {
    const { pid, start_time, boot_id, host, released } = JSON.parse(readRegularFile(path)) as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || (pid as number) < 1 || typeof released !== 'boolean') return null;
    if (![start_time, boot_id, host].every((text) => typeof text === 'string')) return null;
    return { pid, start_time, boot_id, host, released } as LockHolder;
  } catch {
    return null;
  }
}
