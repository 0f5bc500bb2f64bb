import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { isAlive, ownIdentity } from '../../files/index.ts';
import { processIdentitySchema } from '../../protocol/index.ts';
import { writeWhole } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

/** Built only when there is a file to check. */
const serverFileSchema = () =>
  z.strictObject({
    url: z.string(),
    process: processIdentitySchema,
    started_at: z.iso.datetime(),
  });

/** Says where the server of a data folder is, to commands that would rather ask it than do it themselves. */
export function announceServer(home: DataHome, url: string): void {
  const content = { url, process: ownIdentity(), started_at: new Date().toISOString() };
  writeWhole(fileOf(home), `${JSON.stringify(content)}\n`, { replace: true, durable: false });
}

/** The address of the live server of this data folder; null when there is none. */
export function findServer(home: DataHome): { url: string; pid: number } | null {
  try {
    const content: unknown = JSON.parse(fs.readFileSync(fileOf(home), 'utf8'));
    const { url, process: server } = serverFileSchema().parse(content);
    return isAlive(server) ? { url, pid: server.pid } : null;
  } catch {
    return null; // There was never one, or what is there is none of ours.
  }
}

export function withdrawServer(home: DataHome): void {
  if (findServer(home)?.pid === process.pid) fs.rmSync(fileOf(home), { force: true });
}

function fileOf({ root }: DataHome): string {
  return path.join(root, 'server.json');
}
