import type { RunRecord, RunState, Seal, VerificationAnswer } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import type { Checkpoint } from './locate-difference.ts';
import type { References } from './references.ts';

/** A part that differs from what was sealed, or (`unchecked`) that cannot be checked here. */
export type Problem = VerificationAnswer['problems'][number];

/** The results of walking the event log. */
export interface WalkedLog {
  events: number;
  checkpoints: Checkpoint[];
  /** Chain value after each event that a seal or the run record names. */
  chainAt: Map<number, string>;
  /** Last event of each attempt. */
  lastSeq: Map<number, number>;
  /** The run's state after the event that the run record names; null if that event is missing. */
  head: RunState | null;
  /** The run's state after the last event. */
  state: RunState | null;
  /** The run's state follows from its events; in records of earlier versions it does not. */
  isFolded: boolean;
  /** By name: the hash of a file derived from the events, at each length that a seal names. */
  derived: ReadonlyMap<string, ReadonlyMap<number, string>>;
  references: References;
}

/** Everything that the checks read, and where they report to. */
export interface Checking {
  files: RecordFiles;
  seals: Map<number, Seal>;
  record: RunRecord | null;
  log: WalkedLog;
  /** Numbers of all attempts with any file. */
  attempts: number[];
  problems: Problem[];
  signatures: number;
}

export function problem(kind: Problem['kind'], path: string, message: string): Problem {
  return { kind, path, byte: null, line: null, message };
}
