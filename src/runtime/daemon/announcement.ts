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

/** A daemon that says that it runs. How it is reached stands in its own folder, where only its user can look. */
export interface AnnouncedDaemon {
  id: string;
  workspace: string;
}

/** Names a workspace where its path would be too long, or tell too much. */
export function workspaceId(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 16);
}

/** Says in the folder `place` that the daemon runs which serves this workspace now, whoever says it. */
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

/** Says it again when it is not there: two may have looked at what a killed daemon left, and the slower removed ours. */
export function renewAnnouncement(place: string, folder: RuntimeFolder): void {
  try {
    if (!fs.existsSync(fileOf(place, workspaceId(folder.workspace)))) write(place, folder);
  } catch {
    // The data folder is gone, or closed to us by now; nobody looks there any more.
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

/** Null when there is none; what one left that was killed is removed. */
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
    return null; // There is none, or it is none of ours.
  }
}

function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // The folder is closed to us; what stays there names no process that lives.
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
