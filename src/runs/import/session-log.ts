import path from 'node:path';
import { attemptFileNames, type Capture, IMPORTED } from '../../protocol/index.ts';
import type { ByteSource } from './byte-source.ts';
import { copyLog } from './copy-log.ts';
import type { AttemptPlace, ImportSource, WrittenLogs } from './import-source.ts';

/** The file that an engine kept of a session. Its events have the times of its entries. */
export class SessionLog implements ImportSource {
  readonly capture: Capture = { mode: 'split', reason: IMPORTED, level: 'minimal', source: 'session_file' };
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  write({ auditFolder, attempt }: AttemptPlace): WrittenLogs {
    const names = attemptFileNames(attempt);
    const outputBytes = copyLog(this.#source.pieces(), path.join(auditFolder, names.stdout));
    copyLog([], path.join(auditFolder, names.stderr));
    return { outputBytes, startedAt: null, endedAt: null, exit: null, sources: [this.#source.facts()], damage: [] };
  }

  close(): void {
    this.#source.close();
  }
}
