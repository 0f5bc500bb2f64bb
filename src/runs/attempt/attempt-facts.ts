import type { EngineProfile } from '../../engines/index.ts';
import type {
  Capture,
  DeliveredSkill,
  EndedByUs,
  EnvironmentKind,
  FsDiff,
  RunMode,
  SettingsFrom,
  TachoError,
  TraceSummary,
} from '../../protocol/index.ts';
import type { Digest } from '../../recording/index.ts';
import type { SettledResult } from '../result/settle-result.ts';

/** Facts about an attempt, added step by step; a failed step leaves its facts null. */
export interface AttemptFacts {
  profile: EngineProfile;
  /** Of the engine's program, if known. */
  engineVersion: string | null;
  mode: RunMode;
  markerRequired: boolean;
  command: readonly string[];
  cwd: string;
  /** Blanks the values of secrets that this process knows. */
  hideSecrets(text: string): string;
  envNames: readonly string[];
  /** The kind of environment; null for a program that tacho did not start. */
  environment: EnvironmentKind | null;
  /** Paths in the workspace that tacho put there. */
  injected: readonly string[];
  /** Skills that the engine got. */
  skills: readonly DeliveredSkill[];
  capture: Capture;
  /** The origin of its settings; null if unknown. */
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
  /** Digests of the attempt's files as written, by name; null when another process wrote them. */
  digests: Map<string, Digest> | null;
  diff: FsDiff | null;
  /** Number of paths in the snapshot after the attempt. */
  entries: number;
  /** What it has brought about; null without a skill, and while it waits for an answer. */
  result: SettledResult | null;
  /** A repair turn follows. */
  isRepaired: boolean;
}

/** The initial facts of an attempt. */
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
    skills: [],
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
    result: null,
    isRepaired: false,
  };
}
