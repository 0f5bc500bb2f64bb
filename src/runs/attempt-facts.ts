import type { EndedByUs, FsDiff, RecordingLevel, TachoError, TraceSummary } from '../protocol/index.ts';

/** What became known about an attempt, step by step; a step that failed leaves its facts null. */
export interface AttemptFacts {
  engine: string;
  parserVersion: string;
  command: readonly string[];
  cwd: string;
  /** Blanks the values of secrets this process knows. */
  hideSecrets(text: string): string;
  envNames: readonly string[];
  capture: { mode: 'split' | 'trace' | 'merged'; reason: string; level: RecordingLevel };
  terminal: {
    cols: number;
    rows: number;
    drained: boolean;
    output_processing_restored: boolean;
    left_behind: number;
  } | null;
  /** Microseconds since the epoch. */
  startedAt: number | null;
  endedAt: number;
  exit_code: number | null;
  signal: string | null;
  endedByUs: EndedByUs | null;
  supervisorLost: boolean;
  error: TachoError | null;
  failedStep: string | null;
  outputBytes: number;
  trace: TraceSummary | null;
  /** Hashes the recorder has at hand, by file name. */
  digests: ReadonlyMap<string, { bytes: number; sha256: string }>;
  diff: FsDiff | null;
  /** Paths in the snapshot after the attempt. */
  entries: number;
}
