import path from 'node:path';
import type { SessionFormat } from '../../engines/index.ts';
import { attemptFileNames, type Capture, IMPORTED } from '../../protocol/index.ts';
import { type EntryCounts, linesIn } from '../watch/entry-counts.ts';
import { sessionKey } from '../watch/session-runs.ts';
import type { ByteSource } from './byte-source.ts';
import { copyLog } from './copy-log.ts';
import type { AttemptPlace, ImportSource, WrittenLogs } from './import-source.ts';

const HEAD_BYTES = 1024 * 1024;

/** The file that an engine kept of a session. Its events have the times of its entries. */
export class SessionLog implements ImportSource {
  readonly capture: Capture = { mode: 'split', reason: IMPORTED, level: 'minimal', source: 'session_file' };
  readonly format: SessionFormat;
  readonly #source: ByteSource;
  /** What a run with this session has already. */
  #recorded: EntryCounts | null = null;

  constructor(source: ByteSource, format: SessionFormat) {
    this.#source = source;
    this.format = format;
  }

  get path(): string {
    return this.#source.path;
  }

  /** Whether it can be read more than once. */
  get isFile(): boolean {
    return this.#source.isFile;
  }

  /** What the session is known by; null if neither its entries nor its name say so. */
  get key(): string | null {
    for (const { entry } of linesIn(this.#source.peek(HEAD_BYTES), this.format)) {
      const { id } = entry ? this.format.aboutSession(entry) : {};
      if (id !== undefined) return sessionKey(this.path, id);
    }
    return this.isFile ? sessionKey(path.resolve(this.path), null) : null;
  }

  /** Leaves out the entries that a run has already. */
  skip(recorded: EntryCounts): void {
    this.#recorded = recorded;
  }

  write({ auditFolder, attempt }: AttemptPlace): WrittenLogs {
    const names = attemptFileNames(attempt);
    const pieces = this.#source.pieces();
    const content = this.#recorded ? this.#recorded.missingIn(pieces, this.format) : pieces;
    const outputBytes = copyLog(content, path.join(auditFolder, names.stdout));
    copyLog([], path.join(auditFolder, names.stderr));
    return { outputBytes, startedAt: null, endedAt: null, exit: null, sources: [this.#source.facts()], damage: [] };
  }

  close(): void {
    this.#source.close();
  }
}
