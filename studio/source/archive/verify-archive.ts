import type { VerificationAnswer } from '../../../src/client/index.ts';
import {
  attemptFileNames,
  EVENTS_FILE,
  type RawStream,
  RUN_RECORD_FILE,
  type RunRecord,
  type Seal,
  sealSchema,
} from '../../../src/protocol/index.ts';
import { readBytes } from './blob-bytes.ts';
import { type ChainedEvent, checkChain } from './check-chain.ts';
import { checkSignature } from './check-signature.ts';
import { type RecordFiles, readAudit } from './record-files.ts';
import { MOST_HASHED_BYTES, sha256 } from './sha256.ts';

type Problem = VerificationAnswer['problems'][number];

/** What was looked at, so that nobody takes a verdict for more than it is. */
export interface Checked {
  events: number;
  files: number;
  bytes: number;
  attempts: number;
  signatures: number;
}

export type ArchiveVerification = VerificationAnswer & { checked: Checked; keys: string[] };

/** Hash of a stream up to some byte, as the chain vouches for it. */
interface Checkpoint {
  attempt: number;
  stream: RawStream;
  bytes: number;
  sha256: string;
}

/** Recomputes in the page what `tacho verify` recomputes. What cannot be checked here is a problem, too. */
export async function verifyArchive(files: RecordFiles, record: RunRecord): Promise<ArchiveVerification> {
  if (crypto.subtle === undefined) return uncheckable();
  const problems: Problem[] = [];
  const seals = await readSeals(files, problems);
  const log = await walkLog(files, record, problems);
  const checked: Checked = { events: log.events, files: 0, bytes: 0, attempts: 0, signatures: 0 };
  for (const seal of seals.values()) await checkSeal(files, { seal, record, log, problems, checked });
  const attempts = new Set([...log.lastSeq.keys(), ...attemptsWithFiles(files)]);
  checked.attempts = attempts.size;
  for (const attempt of [...attempts].sort((one, other) => one - other)) {
    if (!seals.has(attempt)) await checkUnsealed(files, attempt, log.checkpoints, problems);
  }
  if (record.attempt > 0 && !attempts.has(record.attempt)) {
    problems.push(
      problem('missing', RUN_RECORD_FILE, `speaks of attempt ${record.attempt}, of which nothing is there`),
    );
  }
  const changed = problems.some(({ kind }) => kind !== 'incomplete' && kind !== 'unchecked');
  return {
    verdict: changed ? 'changed' : problems.length > 0 ? 'incomplete' : 'intact',
    problems,
    checked,
    keys: [...new Set([...seals.values()].map(({ key }) => key.id))],
  };
}

interface WalkedLog {
  events: number;
  chainAt: Map<number, string>;
  lastSeq: Map<number, number>;
  checkpoints: Checkpoint[];
}

async function walkLog(files: RecordFiles, { run_id }: RunRecord, problems: Problem[]): Promise<WalkedLog> {
  const log: WalkedLog = { events: 0, chainAt: new Map(), lastSeq: new Map(), checkpoints: [] };
  const blob = await files.audit(EVENTS_FILE);
  if (blob === null) return log;
  const broken = await checkChain(blob, run_id, (event: ChainedEvent) => {
    log.events++;
    log.chainAt.set(event.seq, event.chain);
    log.lastSeq.set(event.attempt_number, event.seq);
    if (event.type === 'lifecycle.recording.checkpoint') {
      log.checkpoints.push({ attempt: event.attempt_number, ...(event.data as Omit<Checkpoint, 'attempt'>) });
    }
  });
  if (broken) {
    const { kind, line, byte, message } = broken;
    problems.push({ ...problem(kind, EVENTS_FILE, message), line, byte });
  }
  return log;
}

async function readSeals(files: RecordFiles, problems: Problem[]): Promise<Map<number, Seal>> {
  const seals = new Map<number, Seal>();
  for (const name of files.names) {
    const attempt = Number(/^seal\.(\d+)\.json$/.exec(name)?.[1] ?? 0);
    if (attempt === 0) continue;
    try {
      seals.set(attempt, (await readAudit(files, name, sealSchema))!);
    } catch {
      problems.push(problem('signature', name, 'not a readable seal'));
    }
  }
  return seals;
}

async function checkSeal(
  files: RecordFiles,
  about: { seal: Seal; record: RunRecord; log: WalkedLog; problems: Problem[]; checked: Checked },
): Promise<void> {
  const { seal, record, log, problems, checked } = about;
  const name = attemptFileNames(seal.attempt).seal;
  const verdict = seal.run_id === record.run_id ? await checkSignature(seal) : 'wrong';
  if (verdict === 'wrong') problems.push(problem('signature', name, 'the signature does not fit'));
  else if (verdict === 'valid') checked.signatures++;
  else problems.push(problem('unchecked', name, 'this browser cannot check ed25519 signatures; use tacho verify'));
  const chained = log.chainAt.get(seal.chain.seq);
  if (chained !== undefined && chained !== seal.chain.head) {
    problems.push(problem('chain', EVENTS_FILE, `event ${seal.chain.seq} is not the one that was sealed`));
  }
  if ((log.lastSeq.get(seal.attempt) ?? 0) > seal.chain.seq) {
    problems.push(problem('chain', EVENTS_FILE, `events of attempt ${seal.attempt} were added after it was sealed`));
  }
  for (const sealed of seal.files) {
    const found = await checkFile(files, sealed);
    const told = found !== null && sealed.path === EVENTS_FILE && problems.some(({ kind }) => kind === 'chain');
    // The chain names the line; a second report of the same change would only hide it.
    if (found !== null && !told) problems.push(found);
    checked.files++;
    checked.bytes += sealed.bytes;
  }
}

async function checkFile(files: RecordFiles, sealed: Seal['files'][number]): Promise<Problem | null> {
  const blob = await files.audit(sealed.path);
  if (blob === null) return problem('missing', sealed.path, 'missing');
  if (sealed.bytes > MOST_HASHED_BYTES) {
    return problem('unchecked', sealed.path, 'too large to be checked in a browser; use tacho verify');
  }
  const rightSize = sealed.prefix ? blob.size >= sealed.bytes : blob.size === sealed.bytes;
  if (rightSize && (await sha256(await readBytes(blob, 0, sealed.bytes))) === sealed.sha256) return null;
  const sizes = rightSize ? '' : ` (${blob.size} bytes, sealed with ${sealed.bytes})`;
  return problem('changed', sealed.path, `changed${sizes}`);
}

/** No seal: the recording was cut off. What the chain's checkpoints say of the bytes must still hold. */
async function checkUnsealed(
  files: RecordFiles,
  attempt: number,
  checkpoints: readonly Checkpoint[],
  problems: Problem[],
): Promise<void> {
  const names = attemptFileNames(attempt);
  problems.push(problem('incomplete', names.seal, `attempt ${attempt} is not sealed`));
  const last = new Map(checkpoints.filter((one) => one.attempt === attempt).map((one) => [one.stream, one]));
  for (const { stream, bytes, sha256: expected } of last.values()) {
    const found = await checkFile(files, { path: names[stream], bytes, sha256: expected, prefix: true });
    if (found) problems.push(found);
  }
}

function attemptsWithFiles({ names }: RecordFiles): number[] {
  const numbers = names.map((name) => Number(/^(?:stdin|stdout|meta|fs-before)\.(\d+)\./.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0);
}

function problem(kind: string, path: string, message: string): Problem {
  return { kind, path, byte: null, line: null, message };
}

/** Browsers have no hashes for pages that came over a line anybody may have written on. */
function uncheckable(): ArchiveVerification {
  const message = 'this page was not loaded over https or from this machine, so the browser gives it no hashes';
  const checked = { events: 0, files: 0, bytes: 0, attempts: 0, signatures: 0 };
  return { verdict: 'incomplete', problems: [problem('unchecked', RUN_RECORD_FILE, message)], checked, keys: [] };
}
