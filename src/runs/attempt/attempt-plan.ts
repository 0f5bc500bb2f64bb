import type { EngineProfile } from '../../engines/index.ts';
import type {
  Completion,
  FcmpMessage,
  RawStream,
  RunMode,
  RunStatus,
  SettingsFrom,
  TachoError,
} from '../../protocol/index.ts';
import type { Clock, TimingHeader } from '../../recording/index.ts';
import type { AttemptLimits } from './watchdogs.ts';
import type { SnapshotSettings } from './workspace-watch.ts';

/** What an attempt is to be, as far as its record is concerned. */
export interface AttemptPlan {
  profile: EngineProfile;
  mode: RunMode;
  markerRequired: boolean;
  /** Of the engine's program, where it can be told. */
  engineVersion?: string | null;
  /** Of a terminal session that is recorded. */
  session?: string;
  /** The events are kept as a conversation too. */
  conversation: boolean;
  hideSecrets?(text: string): string;
  limits?: AttemptLimits;
  /** How much is kept; as configured unless given. */
  recording?: RecordingSettings;
  /** Where its settings came from; where those of the context did unless given, null when nobody knows. */
  settings?: readonly SettingsFrom[] | null;
  clock?: Clock;
  onConversation?(messages: readonly FcmpMessage[]): void;
  /** New bytes are in the files, which are this long by now. */
  onRecorded?(sizes: Partial<Record<RawStream, number>>): void;
}

/** How much of an attempt is kept. */
export interface RecordingSettings extends SnapshotSettings {
  checkpoint_bytes: number;
  checkpoint_ms: number;
}

/** How what a program prints is kept. */
export interface RecordOptions {
  mode: 'split' | 'merged';
  header: Omit<TimingHeader, 'startedAt' | 'command'>;
  secrets: readonly { name: string; value: string }[];
}

export interface FinishedAttempt {
  completion: Completion;
  status: RunStatus;
  /** False when the record could not be completed; the run is then as one whose recorder died, and is recovered. */
  sealed: boolean;
  /** What failed first, in this attempt or in completing its record. */
  error: TachoError | null;
}
