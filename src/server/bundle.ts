import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import yazl from 'yazl';
import { RUN_RECORD_FILE } from '../protocol/index.ts';
import type { RunFolder } from '../recording/index.ts';

/**
 * The record as a zip, streamed: what `tacho export` writes, but of a run that may still grow, and for a reader that may
 * go away. Each file is what it was when its turn came; what cannot be read breaks the download off.
 */
export function bundleRun(folder: RunFolder): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  (zip as unknown as NodeJS.EventEmitter).on('error', (error: Error) => output.destroy(error));
  const opened = new Set<fs.ReadStream>();
  output.on('close', () => {
    for (const reading of opened) reading.destroy();
  });

  function add(relative: string): void {
    zip.addReadStreamLazy(`${folder.runId}/${relative}`, { mode: 0o100600 }, (done) => {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
      fs.open(path.join(folder.path, relative), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, (cause, fd) => {
        if (cause) return output.destroy(cause);
        const reading = fs.createReadStream('', { fd });
        opened.add(reading.on('close', () => opened.delete(reading)));
        reading.on('error', (error) => output.destroy(error));
        if (output.destroyed) reading.destroy();
        else done(null, reading);
      });
    });
  }

  if (isFile(path.join(folder.path, RUN_RECORD_FILE))) add(RUN_RECORD_FILE);
  for (const entry of fs.readdirSync(folder.audit, { recursive: true, withFileTypes: true })) {
    // Locks and half-written files are the recorder's own business.
    if (!entry.isFile() || /^lock\.\d+$|\.tmp$/.test(entry.name)) continue;
    add(path.relative(folder.path, path.join(entry.parentPath, entry.name)));
  }
  zip.end();
  return output;
}

function isFile(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
