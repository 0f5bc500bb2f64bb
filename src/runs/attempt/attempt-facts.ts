import type { EngineProfile } from '../../engines/index.ts';
import type {
  Capture,
  EndedByUs,
  EnvironmentKind,
  FsDiff,
  RunMode,
  SettingsFrom,
  TachoError,
  TraceSummary,
} from '../../protocol/index.ts';
import type { Digest } from '../../recording/index.ts';

/** What became known about an attempt, step by step; a step that failed leaves its facts null. */
export interface AttemptFacts {
  profile: EngineProfile;
  /** Of the engine's program, where it can be told. */
  engineVersion: string | null;
  mode: RunMode;
  markerRequired: boolean;
  command: readonly string[];
  cwd: string;
  /** Blanks the values of secrets this process knows. */
  hideSecrets(text: string): string;
  envNames: readonly string[];
  /** Whose environment the program had; null for a program that tacho did not start. */
  environment: EnvironmentKind | null;
  /** Paths in the workspace that tacho put there. */
  injected: readonly string[];
  capture: Capture;
  /** Where its settings came from; null where nobody knows. */
  settings: readonly SettingsFrom[] | null;
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
  /** What was written to each file of the attempt, by its name; null when another process wrote it. */
  digests: Map<string, Digest> | null;
  diff: FsDiff | null;
  /** Paths in the snapshot after the attempt. */
  entries: number;
}

/** Facts of an attempt of which nothing is known yet but what it is an attempt of. */
export function blankFacts(
  known: Pick<AttemptFacts, 'profile' | 'mode' | 'markerRequired' | 'command' | 'cwd' | 'capture' | 'endedAt'>,
): AttemptFacts {
  return {
    ...known,
    engineVersion: null,
    hideSecrets: (text) => text,
    envNames: [],
    environment: null,
    injected: [],
    settings: null,
    terminal: null,
    startedAt: null,
    exit_code: null,
    signal: null,
    endedByUs: null,
    supervisorLost: false,
    error: null,
    failedStep: null,
    outputBytes: 0,
    trace: null,
    digests: null,
    diff: null,
    entries: 0,
  };
}
