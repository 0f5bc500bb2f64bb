import path from 'node:path';
import type { Readable } from 'node:stream';
import yazl from 'yazl';
import { streamRegularFile } from '../files/index.ts';
import { LEDGER_PROOF_FILE, type LedgerProof } from '../protocol/index.ts';
import { archivedNames, pathInRun } from '../record/index.ts';
import { folderFiles } from './folder-files.ts';
import type { RunFolder } from './run-folder.ts';

/**
 * Streams the record (not the workspace) as a zip, even of a run that is still growing. Each file has its state at the
 * time it was added; a file that cannot be read aborts the stream. `proof` shows that a ledger lists the seals.
 */
export async function zipRun(folder: RunFolder, proof: LedgerProof | null = null): Promise<Readable> {
  const names = archivedNames(await folderFiles(folder).names());
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  (zip as unknown as NodeJS.EventEmitter).on('error', (error: Error) => output.destroy(error));
  const opened = new Set<Readable>();
  output.on('close', () => {
    for (const reading of opened) reading.destroy();
  });

  function add(relative: string): void {
    zip.addReadStreamLazy(`${folder.runId}/${relative}`, { mode: 0o100600 }, (done) => {
      if (output.destroyed) return;
      let reading: Readable;
      try {
        reading = streamRegularFile(path.join(folder.path, relative));
      } catch (cause) {
        output.destroy(cause as Error);
        return;
      }
      opened.add(reading.on('close', () => opened.delete(reading)));
      reading.on('error', (error) => output.destroy(error));
      done(null, reading);
    });
  }

  for (const name of names) if (proof === null || name !== LEDGER_PROOF_FILE) add(pathInRun(name));
  if (proof !== null) {
    const content = Buffer.from(`${JSON.stringify(proof, null, 2)}\n`);
    zip.addBuffer(content, `${folder.runId}/${pathInRun(LEDGER_PROOF_FILE)}`, { mode: 0o100600 });
  }
  zip.end();
  return output;
}
