import fs from 'node:fs';
import path from 'node:path';
import { setAside, type Touch } from '../../files/index.ts';
import { attemptFileNames, BLOBS_FOLDER, TachoError } from '../../protocol/index.ts';
import { type AttemptFile, type HeldFolders, putBackWhole } from '../../recording/index.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { PreparedRun } from './prepare-run.ts';

interface OwnRecord {
  run: PreparedRun;
  held: HeldFolders;
  /** Files that this process has written, or is writing. */
  files: readonly AttemptFile[];
  /** Small files that are written in one piece, by name. */
  wholes: readonly { name: string; content: string }[];
  log: AttemptLog;
}

/**
 * A program can write to its own record. After it has ended, everything that this process wrote is compared with the
 * files on disk, and restored from memory and open descriptors; foreign files are moved aside. Returns the differences.
 */
export async function putBackRecord({ run, held, files, wholes, log }: OwnRecord): Promise<Touch[]> {
  const { audit } = run.folder;
  const touches: (Touch | null)[] = held.putBack();
  touches.push(...files.map((file) => file.putBack()));
  touches.push(...wholes.map(({ name, content }) => putBackWhole(path.join(audit, name), content)));
  const own = new Set([...files.map((file) => path.basename(file.path)), ...wholes.map(({ name }) => name)]);
  for (const name of Object.values(attemptFileNames(run.attempt))) if (!own.has(name)) setAside(path.join(audit, name));
  const blobs = path.join(audit, BLOBS_FOLDER);
  if (fs.lstatSync(blobs, { throwIfNoEntry: false })?.isDirectory() === false) setAside(blobs);
  touches.push(...(await log.putBack()));
  touches.push(run.file.putBack());
  touches.push(...held.setAside());
  return once(touches.filter((touch) => touch !== null));
}

/** A file that was removed with its folder, or moved aside for a restored one, is reported once. */
function once(touches: readonly Touch[]): Touch[] {
  const folders = touches.filter(({ what }) => what !== 'added' && what !== 'changed').map((touch) => `${touch.path}/`);
  const seen = new Set<string>();
  return touches.filter((touch) => {
    const known = seen.has(touch.path) || folders.some((folder) => touch.path.startsWith(folder));
    seen.add(touch.path);
    return !known;
  });
}

export function recordTouched(touches: readonly Touch[], { run }: Pick<OwnRecord, 'run'>): TachoError {
  const parent = path.dirname(run.folder.path);
  const touched = touches.map((touch) => ({ ...touch, path: path.relative(parent, touch.path) }));
  const list = touched.map((touch) => `${touch.path} was ${touch.what}`).join(', ');
  return new TachoError('RECORD_TOUCHED', `the record was touched while it was made: ${list}`, {
    facts: { touched },
    fix: 'tacho restored what it could; tacho verify reports the state of the record. Run the program in a separate folder or in a sandbox.',
  });
}
