import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive, ownIdentity } from '../../files/index.ts';
import { type ProcessIdentity, processIdentitySchema, TachoError } from '../../protocol/index.ts';
import { errnoOf } from './file-errors.ts';

/** What a lock file says: who placed it, and whether that process has let go of it. */
type LockHolder = ProcessIdentity & { released: boolean };

export function lockText({ released }: { released: boolean }): string {
  const holder: LockHolder = { ...ownIdentity(), released };
  return `${JSON.stringify(holder)}\n`;
}

/** Throws RUN_LOCKED unless the lock at `path` is released or its holder is known to be gone. */
export function refuseWhileHeld(path: string, run: string): void {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return; // outbid and removed since we looked; placing ours will tell
    throw error;
  }
  const holder = parseHolder(text);
  if (holder === null) {
    throw locked(`The lock ${path} cannot be read, so nobody knows who writes run ${run}`, {
      facts: { run, path },
      fix: `Make sure that no tacho process writes this run, then delete ${path}.`,
    });
  }
  const { pid, host, released } = holder;
  const facts = { run, path, pid, host };
  if (released) return;
  if (host !== hostname()) {
    // Its processes cannot be seen from here, so neither can their end.
    throw locked(`Run ${run} is locked by process ${pid} on another host, ${host}`, {
      facts,
      fix: `Stop it there; if it is gone for good, delete ${path}.`,
    });
  }
  if (isAlive(holder)) {
    const who = pid === process.pid ? `this process (${pid})` : `process ${pid}`;
    throw locked(`Run ${run} is being written by ${who}`, { facts, fix: 'Wait until it ends, or stop it.' });
  }
}

function locked(message: string, options: { facts: Record<string, unknown>; fix: string }): TachoError {
  return new TachoError('RUN_LOCKED', message, options);
}

function parseHolder(text: string): LockHolder | null {
  try {
    const { released, ...identity } = JSON.parse(text);
    return typeof released === 'boolean' ? { ...processIdentitySchema.parse(identity), released } : null;
  } catch {
    return null;
  }
}
