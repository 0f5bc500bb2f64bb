import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type Flock, isAlive, ownIdentity, pollUntil, readRegularFile, takeFlock } from '../../files/index.ts';
import { processIdentitySchema, TachoError } from '../../protocol/index.ts';
import { writeWhole } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

/** Built only when there is a file to check. */
const serverFileSchema = () =>
  z.strictObject({
    url: z.string(),
    process: processIdentitySchema,
    started_at: z.iso.datetime(),
  });

/** A server takes the lock before it listens and announces its address, which may take long on a busy machine. */
const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/**
 * Makes this process the only server of the data folder until it releases the lock or exits. Throws SERVER_RUNNING with
 * the address of another server.
 */
export async function claimDataFolder(home: DataHome): Promise<Flock> {
  const file = path.join(home.root, 'server.lock');
  const found = await pollUntil(() => takeFlock(file) ?? findServer(home), {
    everyMs: POLL_INTERVAL_MS,
    timeoutMs: START_TIMEOUT_MS,
  });
  if (found && 'release' in found) return found;
  const place = found ? `at ${found.url} (process ${found.pid})` : 'and is still starting';
  throw new TachoError('SERVER_RUNNING', `another server serves ${home.root} ${place}`, {
    facts: found ?? { lock: file },
    fix: 'Use that server, stop it, or serve another data folder with --data.',
  });
}

/** Announces the server's address to commands that use a server if there is one. */
export function announceServer(home: DataHome, url: string): void {
  const content = { url, process: ownIdentity(), started_at: new Date().toISOString() };
  writeWhole(fileOf(home), `${JSON.stringify(content)}\n`, { replace: true, durable: false });
}

/** The address of the live server of this data folder; null without one. */
export function findServer(home: DataHome): { url: string; pid: number } | null {
  try {
    const content: unknown = JSON.parse(readRegularFile(fileOf(home)));
    const { url, process: server } = serverFileSchema().parse(content);
    return isAlive(server) ? { url, pid: server.pid } : null;
  } catch {
    return null; // There was never one, or the file is not ours.
  }
}

export function withdrawServer(home: DataHome): void {
  if (findServer(home)?.pid === process.pid) fs.rmSync(fileOf(home), { force: true });
}

function fileOf({ root }: DataHome): string {
  return path.join(root, 'server.json');
}
