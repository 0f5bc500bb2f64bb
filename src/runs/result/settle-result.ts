import type { ResultArtifact, SkippedArtifact, TachoError, Violation } from '../../protocol/index.ts';
import type { EndEvidence } from '../completion/end-evidence.ts';
import { collectArtifacts } from './artifacts/collect-artifacts.ts';
import type { SkillContract } from './contract.ts';
import { type TakenResult, takeResult } from './take-result.ts';

/** What an attempt has brought about, by the contract of its skill. */
export interface SettledResult extends TakenResult {
  artifacts: ResultArtifact[];
  skipped: SkippedArtifact[];
  /** Of the payload and of the artifacts. */
  violations: Violation[];
}

export interface ResultPlaces {
  evidence: Pick<EndEvidence, 'lastMessage' | 'marked'>;
  /** The record's folder. */
  audit: string;
  workspace: string;
  /** When the run was made, in milliseconds. */
  runStartedAt: number;
  hideSecrets(text: string): string;
}

/** Takes the result of an attempt that has ended, and puts its artifacts into the record. */
export function settleResult(contract: SkillContract, places: ResultPlaces): SettledResult {
  const { manifest, check, artifactsFolder } = contract;
  const { evidence, audit, ...rest } = places;
  const { entrypoint } = manifest;
  const messages = evidence.marked ?? { final: evidence.lastMessage, before: null };
  const taken = takeResult({ messages, entrypoint, artifactsFolder, check, ...rest });
  const { result_json_filename: file } = entrypoint;
  const except = file === undefined ? [] : [file];
  const collected = collectArtifacts({ folder: artifactsFolder, wanted: manifest.artifacts, except, audit });
  const { artifacts, skipped } = collected;
  return { ...taken, artifacts, skipped, violations: [...taken.validity.violations, ...collected.violations] };
}

/** The result of an attempt whose files could not be read or kept. It is not known to be valid, so it is invalid. */
export function unsettledResult({ message }: Pick<TachoError, 'message'>): SettledResult {
  const violations = [{ path: '', message: `the result could not be taken: ${message}` }];
  return {
    payload: null,
    payload_from: null,
    validity: { state: 'invalid', violations },
    artifacts: [],
    skipped: [],
    violations,
  };
}
