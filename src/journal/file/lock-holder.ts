import { hostname } from 'node:os';
import { isFlocked, ownIdentity, readRegularFile } from '../../files/index.ts';
import { type ProcessIdentity, processIdentitySchema, TachoError } from '../../protocol/index.ts';

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

/** Null if the lock is gone or cannot be read. */
function readHolder(path: string): LockHolder | null {
  try {
    const { released, ...identity } = JSON.parse(readRegularFile(path));
    return typeof released === 'boolean' ? { ...processIdentitySchema.parse(identity), released } : null;
  } catch {
    return null;
  }
}
