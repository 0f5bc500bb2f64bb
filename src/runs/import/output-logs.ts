import path from 'node:path';
import { attemptFileNames, type Capture, IMPORTED } from '../../protocol/index.ts';
import { ptyOutputHeader } from '../../recording/index.ts';
import { ByteSource } from './byte-source.ts';
import { copyLog } from './copy-log.ts';
import type { AttemptPlace, ImportSource, WrittenLogs } from './import-source.ts';

/** Files to read; `-` is standard input. */
export interface LogPaths {
  stdout: string | null;
  stderr: string | null;
  pty: string | null;
}

type Logs = Record<keyof LogPaths, ByteSource | null>;

/** What a program printed, without times. A merged log beside split ones is a second record of the same. */
export class OutputLogs implements ImportSource {
  readonly capture: Capture;
  readonly logs: Logs;

  constructor(logs: Partial<Logs>) {
    this.logs = { stdout: null, stderr: null, pty: null, ...logs };
    const split = this.logs.stdout !== null || this.logs.stderr !== null;
    this.capture = {
      mode: split ? 'split' : 'merged',
      reason: IMPORTED,
      level: 'minimal',
      ...(split && this.logs.pty !== null ? { merged_apart: true } : {}),
    };
  }

  /** All logs are opened before anything is written, so that a wrong name leaves no partial run. */
  static open(paths: LogPaths): OutputLogs {
    const open: Partial<Logs> = {};
    try {
      for (const name of ['stdout', 'stderr', 'pty'] as const) {
        const given = paths[name];
        open[name] = given === null ? null : new ByteSource(given);
      }
      return new OutputLogs(open);
    } catch (error) {
      for (const source of Object.values(open)) source?.close();
      throw error;
    }
  }

  write({ auditFolder, attempt, now }: AttemptPlace): WrittenLogs {
    const { stdout, stderr, pty } = this.logs;
    const names = attemptFileNames(attempt);
    const split = this.capture.mode === 'split';
    const started = new Date(Math.floor(now / 1000));
    const header = ptyOutputHeader({ startedAt: started, term: 'dumb', cols: 0, rows: 0, command: 'imported' });
    const copy = (source: ByteSource | null, name: string, before = '') =>
      copyLog(source?.pieces() ?? [], path.join(auditFolder, name), before);
    const splitBytes = split ? copy(stdout, names.stdout) + copy(stderr, names.stderr) : 0;
    const ptyBytes = pty === null ? 0 : copy(pty, names.pty, header);
    return {
      outputBytes: split ? splitBytes : ptyBytes,
      startedAt: null,
      endedAt: null,
      exit: null,
      sources: this.#sources.map((source) => source.facts()),
      damage: [],
    };
  }

  close(): void {
    for (const source of this.#sources) source.close();
  }

  get #sources(): ByteSource[] {
    return Object.values(this.logs).filter((source) => source !== null);
  }
}
