import type { RunRecord, RunState, Seal, VerificationAnswer } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import type { Checkpoint } from './locate-difference.ts';

/** One part that differs from what was sealed, or (`unchecked`) that cannot be checked here. */
export type Problem = VerificationAnswer['problems'][number];

/** What walking the event log showed. */
export interface WalkedLog {
  events: number;
  checkpoints: Checkpoint[];
  /** Chain value after each event that a seal or the run record names. */
  chainAt: Map<number, string>;
  /** Last event of each attempt. */
  lastSeq: Map<number, number>;
  /** The run's state after the event that the run record names; null when it is not there. */
  head: RunState | null;
  /** The run's state after the last event. */
  state: RunState | null;
  /** The run's state follows from its events; in records of earlier versions it does not. */
  isFolded: boolean;
  /** By name, what a file that is derived from the events hashes to at each length that a seal names. */
  derived: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

/** Everything the checks look at, and where they report to. */
export interface Checking {
  files: RecordFiles;
  seals: Map<number, Seal>;
  record: RunRecord | null;
  log: WalkedLog;
  /** Numbers of all attempts that left anything. */
  attempts: number[];
  problems: Problem[];
  signatures: number;
}

export function problem(kind: Problem['kind'], path: string, message: string): Problem {
  return { kind, path, byte: null, line: null, message };
}
