import path from 'node:path';
import { type AttemptResult, attemptFileNames, type Completion } from '../../protocol/index.ts';
import { type Digest, digestOf, type RunFolder, writeWhole } from '../../recording/index.ts';
import type { SkillContract } from './contract.ts';
import type { SettledResult } from './settle-result.ts';

export interface ResultInput {
  folder: RunFolder;
  attempt: number;
  contract: SkillContract;
  result: SettledResult;
  completion: Completion;
  repair: AttemptResult['repair'];
  /** Replaces a file that a dead recorder left, which may be forged. */
  replace: boolean;
}

/** Writes `result.N.json`. Returns its digest, for the seal. */
export function writeResult(input: ResultInput): { name: string; digest: Digest } {
  const { folder, attempt, contract, result, completion, repair } = input;
  const { state, reason_code, rule, source } = completion;
  const { payload, payload_from, validity, artifacts, skipped, violations } = result;
  const content: AttemptResult = {
    format: 'tacho-result/1',
    run_id: folder.runId,
    attempt,
    skill: contract.skill,
    completion: { state, reason_code, rule, source },
    payload,
    payload_from,
    validity: violations.length === 0 ? validity : { state: 'invalid', violations },
    artifacts,
    skipped_artifacts: skipped,
    repair,
  };
  const name = attemptFileNames(attempt).result;
  const text = `${JSON.stringify(content, null, 2)}\n`;
  writeWhole(path.join(folder.audit, name), text, { replace: input.replace });
  return { name, digest: digestOf(text) };
}
