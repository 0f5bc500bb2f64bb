import fs from 'node:fs';
import path from 'node:path';
import { temporaryName } from '../files/index.ts';
import { RUN_ID_PATTERN } from '../protocol/index.ts';

/**
 * `<data>/last` is a link to the run that was begun last. Ids are in the order of the clock, which may be set back; that
 * one link replaced another is in the order in which it happened.
 */
export function noteLastRun(folder: string): void {
  const link = linkOf(path.dirname(folder));
  const temporary = temporaryName(link);
  try {
    fs.symlinkSync(path.relative(path.dirname(link), folder), temporary);
    fs.renameSync(temporary, link);
  } catch {
    // Without it the newest id counts.
  }
}

/** Null when there is no such run any more. */
export function lastRun(runsRoot: string): string | null {
  try {
    const folder = path.resolve(path.dirname(linkOf(runsRoot)), fs.readlinkSync(linkOf(runsRoot)));
    const isRun = path.dirname(folder) === path.resolve(runsRoot) && RUN_ID_PATTERN.test(path.basename(folder));
    return isRun && fs.lstatSync(folder).isDirectory() ? path.basename(folder) : null;
  } catch {
    return null;
  }
}

function linkOf(runsRoot: string): string {
  return path.join(path.dirname(path.resolve(runsRoot)), 'last');
}
