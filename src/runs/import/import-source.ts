import type { Capture, FsDiff } from '../../protocol/index.ts';
import type { SourceFacts } from './byte-source.ts';
import type { Damage } from './formats/terminal-moment.ts';

/** The logs of one attempt, open and checked: from here on only the disk can fail. */
export interface ImportSource {
  readonly capture: Capture;
  /** Writes the attempt's files. */
  write(place: AttemptPlace): WrittenLogs | Promise<WrittenLogs>;
  close(): void;
}

export interface AttemptPlace {
  auditFolder: string;
  attempt: number;
  /** Time of the import, in microseconds since the epoch. */
  now: number;
}

export interface WrittenLogs {
  /** Output that counts for coverage. */
  outputBytes: number;
  /** Microseconds since the epoch; null if the logs do not say. */
  startedAt: number | null;
  endedAt: number | null;
  /** How the program ended, if the logs say so. */
  exit: Exit | null;
  sources: SourceFacts[];
  damage: Damage[];
  /** Changes to files; null or missing if the logs do not say. */
  diff?: FsDiff | null;
}

export interface Exit {
  exit_code: number | null;
  signal: string | null;
}
