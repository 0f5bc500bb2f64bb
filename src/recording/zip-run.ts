import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import yazl from 'yazl';
import { RUN_RECORD_FILE } from '../protocol/index.ts';
import type { RunFolder } from './run-folder.ts';

/** The whole record – not the workspace – as a zip, streamed. Same files, same names, so the seal still verifies. */
export function zipRun(folder: RunFolder): Readable {
  const zip = new yazl.ZipFile();
  const add = (relative: string) =>
    zip.addFile(path.join(folder.path, relative), `${folder.runId}/${relative}`, { mode: 0o100600 });
  if (fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) add(RUN_RECORD_FILE);
  for (const entry of fs.readdirSync(folder.audit, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(folder.path, path.join(entry.parentPath, entry.name));
    // Locks and half-written files are the recorder's own business.
    if (entry.isFile() && !/^lock\.\d+$|\.tmp$/.test(entry.name)) add(relative);
  }
  zip.end();
  const stream = zip.outputStream as unknown as Readable;
  // A file that grows or goes while it is read: whoever reads the zip is told.
  (zip as unknown as NodeJS.EventEmitter).on('error', (error: Error) => stream.destroy(error));
  return stream;
}
