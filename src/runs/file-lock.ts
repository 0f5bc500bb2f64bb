import fs from 'node:fs';
import path from 'node:path';
import { isAlive, ownIdentity } from '../journal/index.ts';
import { type ProcessIdentity, processIdentitySchema, TachoError } from '../protocol/index.ts';

const WAIT_MS = 10_000;
const LOOK_MS = 20;

/** Runs `work` while no other process does; a lock whose holder died is taken over. */
export async function withFileLock<T>(
  file: string,
  work: () => T | Promise<T>,
  { waitMs = WAIT_MS }: { waitMs?: number } = {},
): Promise<T> {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const own = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(own, JSON.stringify(ownIdentity()), { mode: 0o600 });
  try {
    await take(file, own, Date.now() + waitMs);
    try {
      return await work();
    } finally {
      fs.rmSync(file, { force: true });
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
}

async function take(file: string, own: string, deadline: number): Promise<void> {
  while (!placed(own, file)) {
    const holder = readHolder(file);
    if (holder && !isAlive(holder) && takeAway(file, own)) continue;
    if (Date.now() > deadline) {
      throw new TachoError('ENGINE_BUSY', `${file} is held by process ${holder?.pid ?? 'unknown'}`, {
        facts: { path: file, pid: holder?.pid },
        fix: 'Wait for that process to end, or remove the file if there is no such process.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** A link appears whole or not at all, so a lock always names its holder. */
function placed(own: string, file: string): boolean {
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Under a lock of its own, with a second look: of two who saw the same dead holder, the slower one would else take away
 * the lock of a live one that came in between.
 */
function takeAway(file: string, own: string): boolean {
  const guard = `${file}.dead`;
  if (!placed(own, guard)) {
    const holder = readHolder(guard);
    if (holder && !isAlive(holder)) takeAway(guard, own);
    return false;
  }
  try {
    const holder = readHolder(file);
    if (holder && !isAlive(holder)) fs.rmSync(file, { force: true });
    return true;
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

function readHolder(file: string): ProcessIdentity | null {
  try {
    const parsed = processIdentitySchema.safeParse(JSON.parse(fs.readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // Given back meanwhile.
  }
}
