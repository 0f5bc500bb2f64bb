import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { makePrivateFolder } from '../../config/index.ts';
import { isRunning, readRegularFile, writeWhole } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { makePrivate, refuseForeign } from './private-folder.ts';
import type { RuntimeFolder } from './runtime-folder.ts';
import { readServerFile } from './server-file.ts';

const announcementSchema = z.object({ workspace: z.string(), pid: z.int(), start_time: z.string() });
type Announcement = z.infer<typeof announcementSchema>;

/** A daemon that is announced as running. Its address is in its own folder, which only its user can read. */
export interface AnnouncedDaemon {
  id: string;
  workspace: string;
}

/** Identifies a workspace where its path would be too long or would reveal too much. */
export function workspaceId(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 16);
}

/** Announces in the folder `place` that a daemon serves this workspace. Any process may do so. */
export function announceDaemon(place: string, folder: RuntimeFolder): void {
  try {
    makePrivateFolder(path.dirname(place));
    makePrivate(place);
    write(place, folder);
  } catch (cause) {
    if (cause instanceof TachoError) throw cause;
    throw new TachoError('DATA_FOLDER_UNWRITABLE', `${place} cannot be written: ${(cause as Error).message}`, {
      facts: { path: place },
      cause,
      fix: 'Make it writable, or choose another data folder with TACHO_HOME.',
    });
  }
}

/**
 * Announces it again if the file is missing: two processes may have found the file of a killed daemon, and the slower
 * one may have removed ours.
 */
export function renewAnnouncement(place: string, folder: RuntimeFolder): void {
  try {
    if (!fs.existsSync(fileOf(place, workspaceId(folder.workspace)))) write(place, folder);
  } catch {
    // The data folder is gone or no longer accessible, so no client looks there.
  }
}

export function withdrawDaemon(place: string, { workspace }: RuntimeFolder): void {
  const file = fileOf(place, workspaceId(workspace));
  if (read(file)?.pid === process.pid) remove(file);
}

export function listDaemons(place: string): AnnouncedDaemon[] {
  const ids = namesIn(place).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []);
  return ids.flatMap((id) => findDaemon(place, id) ?? []);
}

/** Null if there is none. The file of a killed daemon is removed. */
export function findDaemon(place: string, id: string): AnnouncedDaemon | null {
  const file = fileOf(place, id);
  const announced = read(file);
  if (!announced || workspaceId(announced.workspace) !== id) return null;
  if (isRunning({ pid: announced.pid, startTime: announced.start_time })) return { id, workspace: announced.workspace };
  remove(file);
  return null;
}

function write(place: string, folder: RuntimeFolder): void {
  const server = readServerFile(folder);
  if (!server) return;
  const { pid, start_time } = server;
  const content: Announcement = { workspace: folder.workspace, pid, start_time };
  writeWhole(fileOf(place, workspaceId(folder.workspace)), `${JSON.stringify(content)}\n`);
}

function read(file: string): Announcement | null {
  try {
    refuseForeign(file);
    return announcementSchema.parse(JSON.parse(readRegularFile(file)));
  } catch {
    return null; // Missing, or not valid.
  }
}

function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // The folder is not accessible; a remaining file names a dead process.
  }
}

function namesIn(place: string): string[] {
  try {
    return fs.readdirSync(place);
  } catch {
    return []; // No daemon was ever announced here.
  }
}

function fileOf(place: string, id: string): string {
  return path.join(place, `${id}.json`);
}
