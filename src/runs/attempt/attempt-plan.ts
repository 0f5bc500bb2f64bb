import type { EngineProfile } from '../../engines/index.ts';
import type {
  AgentRef,
  ClaimedCompletion,
  Completion,
  FcmpMessage,
  RawStream,
  RunMode,
  RunStatus,
  SettingsFrom,
  TachoError,
} from '../../protocol/index.ts';
import type { Clock, TimingHeader } from '../../recording/index.ts';
import type { SkillContract } from '../result/contract.ts';
import type { RepairRules } from '../result/repair-order.ts';
import type { AttemptLimits } from './watchdogs.ts';
import type { SnapshotSettings } from './workspace-watch.ts';

/** The parts of an attempt that its record needs. */
export interface AttemptPlan {
  profile: EngineProfile;
  mode: RunMode;
  markerRequired: boolean;
  /** What the skill of the run says about its result. */
  contract?: SkillContract | null;
  /** Whether the result may be repaired; null: not by this attempt. */
  repairs?: RepairRules | null;
  /** It is the repair turn of the run. */
  isRepair?: boolean;
  /** Of the engine's program, if known. */
  engineVersion?: string | null;
  /** Id of a recorded terminal session. */
  session?: string;
  /** Whether to store the events as a conversation too. */
  conversation: boolean;
  hideSecrets?(text: string): string;
  limits?: AttemptLimits;
  /** How much to keep (default: as configured). */
  recording?: RecordingSettings;
  /** The origin of its settings (default: that of the context's settings); null if unknown. */
  settings?: readonly SettingsFrom[] | null;
  clock?: Clock;
  /** Its output was recorded elsewhere: how the program ended may be unknown. */
  imported?: {
    /** A question at its end was answered by the next attempt; otherwise it cannot be answered any more. */
    isContinued: boolean;
    /** How it ended in the words of that recorder. */
    claimed: ClaimedCompletion | null;
  };
  /** It is the session file of an engine that may keep running. */
  watched?: boolean;
  /** It is the log of an agent in a program of the user: whatever it asks is decided there. */
  agent?: AgentRef;
  onConversation?(messages: readonly FcmpMessage[]): void;
  /** New bytes are in the files; called with the new sizes. */
  onRecorded?(sizes: Partial<Record<RawStream, number>>): void;
}

/** How much of an attempt is kept. */
export interface RecordingSettings extends SnapshotSettings {
  checkpoint_bytes: number;
  checkpoint_ms: number;
}

/** How to record a program's output. */
export interface RecordOptions {
  mode: 'split' | 'merged';
  header: Omit<TimingHeader, 'startedAt' | 'command'>;
  secrets: readonly { name: string; value: string }[];
}

export interface FinishedAttempt {
  completion: Completion;
  /** `queued` if a repair turn follows. */
  status: RunStatus;
  /** False when the record could not be completed; recovery then completes it, as after the recorder's death. */
  sealed: boolean;
  /** The first failure, in this attempt or in completing its record. */
  error: TachoError | null;
}
