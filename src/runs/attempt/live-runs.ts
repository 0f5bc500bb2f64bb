import fs from 'node:fs';
import path from 'node:path';
import { readRegularFile } from '../../files/index.ts';
import { type RunFolder, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

/** A run with an announced attempt: it is being recorded, or its recorder died. */
export interface AnnouncedRun {
  folder: RunFolder;
  /** The link that announces it. */
  link: string;
}

/**
 * `live/<run id>` is a symbolic link to the run's folder. It is created before the folder and removed after the seal,
 * so that no run can be lost in between, and unlike a file it is never half written. Announcing again is harmless, and
 * is required once the folder exists: see `dropDangling`.
 */
export function announceLive(home: DataHome, folder: RunFolder): void {
  const link = path.join(home.live, folder.runId);
  const target = path.relative(home.live, folder.path);
  fs.mkdirSync(home.live, { recursive: true, mode: 0o700 });
  // Retries, because other processes may move the link aside and back meanwhile.
  for (;;) {
    try {
      fs.symlinkSync(target, link);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (targetOf(link) === folder.path) return;
    fs.rmSync(link, { force: true });
  }
}

export function withdrawLive(home: DataHome, folder: RunFolder): void {
  fs.rmSync(path.join(home.live, folder.runId), { force: true });
}

/** Whether this installation began to record the run and has not finished. Stored outside the run's folder. */
export function isAnnounced(home: DataHome, folder: RunFolder): boolean {
  return targetOf(path.join(home.live, folder.runId)) === folder.path;
}

/** Every announced run that has a folder. Changes nothing. */
export function announcedRuns(home: DataHome): AnnouncedRun[] {
  return links(home).flatMap((link) => {
    const target = targetOf(link);
    return target !== null && fs.existsSync(target) ? [{ folder: runFolderAt(target), link }] : [];
  });
}

/**
 * Removes links to missing folders: the run was deleted, or its recorder died before creating the folder. A recorder
 * that is about to create the folder cannot be distinguished, but it announces the run again afterwards: either the
 * folder exists at the second check, or the recorder finds the link gone.
 */
export function dropDangling(home: DataHome): void {
  for (const link of links(home)) {
    const target = targetOf(link);
    if (target === null || fs.existsSync(target) || isBeingRemoved(link)) continue;
    const aside = `${link}.${process.pid}.dangling`;
    try {
      fs.renameSync(link, aside);
      if (fs.existsSync(target)) fs.renameSync(aside, link);
      else fs.rmSync(aside, { force: true });
    } catch {
      // Another process was faster.
    }
  }
}

/** Another process is cleaning up this link and decides about it. */
function isBeingRemoved(link: string): boolean {
  const pid = /\.(\d+)\.dangling$/.exec(link)?.[1];
  return pid !== undefined && fs.existsSync(`/proc/${pid}`);
}

function links(home: DataHome): string[] {
  try {
    return fs.readdirSync(home.live).map((name) => path.join(home.live, name));
  } catch {
    return []; // No run was ever announced here.
  }
}

/** Null if removed meanwhile. Earlier versions of tacho wrote a file containing the path. */
function targetOf(link: string): string | null {
  try {
    return path.resolve(path.dirname(link), fs.readlinkSync(link));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') return null;
  }
  try {
    return readRegularFile(link) || null;
  } catch {
    return null;
  }
}
