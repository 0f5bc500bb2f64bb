import fs from 'node:fs';
import path from 'node:path';
import { temporaryName } from '../files/index.ts';
import { RUN_ID_PATTERN } from '../protocol/index.ts';

/**
 * `<data>/last` is a link to the run that was started last. Ids follow the clock, which may be set back; the link
 * follows the real order.
 */
export function noteLastRun(folder: string): void {
  const link = linkOf(path.dirname(folder));
  const temporary = temporaryName(link);
  try {
    fs.symlinkSync(path.relative(path.dirname(link), folder), temporary);
    fs.renameSync(temporary, link);
  } catch {
    // Without it, the newest id is used.
  }
}

/** Null if that run no longer exists. */
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
