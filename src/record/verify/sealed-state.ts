import { EVENTS_FILE, type RunState } from '../../protocol/index.ts';
import type { RecordFiles } from '../record-files.ts';
import { type Problem, problem } from './checking.ts';
import { checkSignature, sealsByAttempt } from './seals.ts';
import { walkLog } from './walk-log.ts';

/** The state that the last seal of a record confirms. */
export interface SealedState {
  state: RunState;
  key: string;
  /** The state after events that no seal covers; null if there are none. */
  unsealed: RunState | null;
}

/**
 * The state of a run according to its sealed events, whatever `.run.json` contains; the first problem if no seal
 * confirms them. Null for a record of an earlier version, whose events do not contain the request.
 */
export async function readSealedState(files: RecordFiles): Promise<SealedState | Problem | null> {
  const problems: Problem[] = [];
  const seals = await sealsByAttempt(files, problems);
  const last = [...seals.values()].sort((one, other) => other.attempt - one.attempt)[0];
  if (!last) return problems[0] ?? problem('incomplete', EVENTS_FILE, 'no seal covers it');
  const log = await walkLog(files, { seals, head: last.chain.seq, problems });
  if (problems.length > 0) return problems[0]!;
  const isSigned = last.run_id === files.runId && (await checkSignature(files, last)) === 'valid';
  if (!isSigned) return problem('signature', `seal.${last.attempt}.json`, 'the signature does not fit');
  if (!log.head || log.chainAt.get(last.chain.seq) !== last.chain.head) {
    return problem('chain', EVENTS_FILE, `event ${last.chain.seq} differs from the sealed one`);
  }
  if (!log.isFolded) return null;
  return { state: log.head, key: last.key.id, unsealed: log.events > last.chain.seq ? log.state : null };
}
