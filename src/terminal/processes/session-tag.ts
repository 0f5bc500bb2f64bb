import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { ProcessStat } from '../../files/index.ts';
import { readResourceLimit, setResourceLimit } from '../libc.ts';

/**
 * Every process of a session has a tag in RLIMIT_LOCKS, which Linux has not enforced since 2.4. It is inherited across
 * fork, exec, `setsid` and `env -i`, so it identifies processes that have left their session, their parents and their
 * environment. It is not a security boundary: a program may lower its own limit.
 *
 * A tag has 60 bits that are derived from the session's marker. The four bits above are the level: one less than that
 * of the hard limit under which the session was started, so that a tag always fits below the tag of an enclosing
 * session. Without an enclosing session that limit is infinite, and its level 15.
 */
const RLIMIT_LOCKS = 10;
const UNLIMITED = (1n << 64n) - 1n;
const TAG_BITS = 60n;
const TAG_MASK = (1n << TAG_BITS) - 1n;

type Limit = NonNullable<ReturnType<typeof readResourceLimit>>;

/** Calls `start`, which spawns a program synchronously; the program and everything it starts have the marker's tag. */
export function spawnTagged(marker: string, start: () => ChildProcess): ChildProcess {
  const own = readResourceLimit(0, RLIMIT_LOCKS);
  const level = own ? levelOf(own.hard) - 1n : -1n;
  if (!own || level < 0n) return start();
  const tag = (level << TAG_BITS) | tagOf(marker);
  // Never lower our own hard limit: it could not be raised again.
  if (!trySet(0, { soft: tag, hard: own.hard })) return start();
  let child: ChildProcess;
  try {
    // libuv forks within this call, so nothing else gets the tag.
    child = start();
  } finally {
    setResourceLimit(0, RLIMIT_LOCKS, own);
  }
  // From here on the program cannot raise it. A hard limit that is a tag belongs to the enclosing session and stays.
  if (child.pid !== undefined && !isTag(own.hard)) trySet(child.pid, { soft: tag, hard: tag });
  return child;
}

/** Whether the process has the tag of the marker's session. */
export function carriesTag(pid: number, marker: string): boolean {
  const limit = readResourceLimit(pid, RLIMIT_LOCKS) ?? readLimitsFile(pid);
  if (!limit) return false;
  return hasTag(limit, tagOf(marker));
}

function hasTag(limit: Limit, tag: bigint): boolean {
  return (limit.soft & TAG_MASK) === tag || (limit.hard & TAG_MASK) === tag;
}

/** A session of this process that may still have processes. */
export interface LiveSession {
  tag: bigint;
  /** Its processes that were orphaned, died and were collected by us. */
  orphansCollected: number;
}

const live = new Map<string, LiveSession>();

export function beginTag(marker: string): void {
  live.set(marker, { tag: tagOf(marker), orphansCollected: 0 });
}

export function endTag(marker: string): void {
  live.delete(marker);
}

export function liveSession(marker: string): LiveSession | null {
  return live.get(marker) ?? null;
}

/** The session whose tag a process carries; a zombie still has it. Null when it has none that we know. */
export function liveSessionOf(pid: number): LiveSession | null {
  const limit = readResourceLimit(pid, RLIMIT_LOCKS);
  if (!limit) return null;
  for (const session of live.values()) if (hasTag(limit, session.tag)) return session;
  return null;
}

/**
 * An adopted orphan whose limit differs from ours comes from a session, even if it has changed its tag. If the marker's
 * session is the only one left, the orphan belongs to it.
 */
export function isStray({ pid, parent }: ProcessStat, marker: string): boolean {
  if (parent !== process.pid || live.size !== 1 || !live.has(marker)) return false;
  const own = readResourceLimit(0, RLIMIT_LOCKS);
  const limit = readResourceLimit(pid, RLIMIT_LOCKS) ?? readLimitsFile(pid);
  // A daemon that has left its session belongs to none.
  return own !== null && limit !== null && limit.soft !== own.soft && !isFree(limit.soft);
}

/** Whether this process was started by a recorded program or within a session. */
export function isInSession(): boolean {
  const own = readResourceLimit(0, RLIMIT_LOCKS);
  // A limit set for another reason is far below the levels.
  return own !== null && [own.soft, own.hard].some((limit) => isTag(limit) && levelOf(limit) > 0n);
}

/** For a daemon that was started within a session and does not belong to it. */
export function leaveSession(): void {
  const own = readResourceLimit(0, RLIMIT_LOCKS);
  if (!own) return;
  const limit = isTag(own.hard) ? levelOf(own.hard) << TAG_BITS : own.hard;
  trySet(0, { soft: limit, hard: limit });
}

let latest = { marker: '', tag: 0n };

function tagOf(marker: string): bigint {
  // A process scan asks for the same marker each time.
  if (latest.marker !== marker || latest.tag === 0n) {
    const hash = createHash('sha256').update(`tacho session ${marker}`).digest();
    latest = { marker, tag: (hash.readBigUInt64LE(0) & TAG_MASK) | 1n };
  }
  return latest.tag;
}

function levelOf(limit: bigint): bigint {
  return limit >> TAG_BITS;
}

function isTag(limit: bigint): boolean {
  return limit !== UNLIMITED && (limit & TAG_MASK) !== 0n;
}

/** True for the limit that `leaveSession` sets. */
function isFree(limit: bigint): boolean {
  return levelOf(limit) > 0n && !isTag(limit);
}

function trySet(pid: number, limit: Limit): boolean {
  try {
    setResourceLimit(pid, RLIMIT_LOCKS, limit);
    return true;
  } catch {
    return false; // Not permitted here, or the process is gone.
  }
}

/** Slower, but also works for setuid programs. */
function readLimitsFile(pid: number): Limit | null {
  try {
    const line = /^Max file locks +(\S+) +(\S+)/m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'latin1'));
    const [soft, hard] = (line?.slice(1) ?? []).map((text) => (text === 'unlimited' ? UNLIMITED : BigInt(text)));
    return soft === undefined || hard === undefined ? null : { soft, hard };
  } catch {
    return null; // Gone meanwhile.
  }
}
