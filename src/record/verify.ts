import {
  attemptFileNames,
  EVENTS_FILE,
  type RaspEvent,
  RUN_RECORD_FILE,
  rawStreamSchema,
  type Seal,
  type VerificationAnswer,
} from '../protocol/index.ts';
import { pieces } from './file-pieces.ts';
import { type Checkpoint, locateDifference } from './locate-difference.ts';
import { type RecordFiles, withFile } from './record-files.ts';
import { readRunRecord } from './run-record.ts';
import { checkSignature, readSeals } from './seals.ts';
import { walkChain } from './walk-chain.ts';

/** One thing that is not as it was sealed, or (`unchecked`) of which that cannot be told here. */
export type Problem = VerificationAnswer['problems'][number];

export type Verification = Pick<VerificationAnswer, 'verdict' | 'problems' | 'checked' | 'keys'>;

/** What walking the event log showed. */
interface WalkedLog {
  events: number;
  checkpoints: Checkpoint[];
  /** Chain value after each event that a seal names. */
  chainAt: Map<number, string>;
  /** Last event of each attempt. */
  lastSeq: Map<number, number>;
}

/** Everything the checks below look at, and where they report to. */
interface Checking {
  files: RecordFiles;
  seals: Map<number, Seal>;
  log: WalkedLog;
  /** Numbers of all attempts that left anything. */
  attempts: number[];
  problems: Problem[];
  signatures: number;
}

/** One thing to check of a record. A new one (say, of what sealed files contain) is one more entry. */
const CHECKS: readonly ((checking: Checking) => Promise<void>)[] = [checkSeals, checkUnsealed, checkLastAttempt];

/** Recomputes everything the record claims about itself, and lets others work meanwhile. Never writes. */
export async function verifyRecord(files: RecordFiles): Promise<Verification> {
  const problems: Problem[] = [];
  const seals = await sealsByAttempt(files, problems);
  const log = await walkLog(files, seals, problems);
  const attempts = [...new Set([...log.lastSeq.keys(), ...attemptsWithFiles(await files.names())])];
  attempts.sort((one, other) => one - other);
  const checking: Checking = { files, seals, log, attempts, problems, signatures: 0 };
  for (const check of CHECKS) await check(checking);
  const sealed = [...seals.values()].flatMap((seal) => seal.files);
  const changed = problems.some(({ kind }) => kind !== 'incomplete' && kind !== 'unchecked');
  return {
    verdict: changed ? 'changed' : problems.length > 0 ? 'incomplete' : 'intact',
    problems,
    checked: {
      events: log.events,
      files: sealed.length,
      bytes: sealed.reduce((sum, file) => sum + file.bytes, 0),
      attempts: attempts.length,
      signatures: checking.signatures,
    },
    keys: [...new Set([...seals.values()].map((seal) => seal.key.id))],
  };
}

async function sealsByAttempt(files: RecordFiles, problems: Problem[]): Promise<Map<number, Seal>> {
  const seals = new Map<number, Seal>();
  for (const found of await readSeals(files)) {
    if (found.kind === 'seal') seals.set(found.seal.attempt, found.seal);
    else if (found.kind === 'unreadable') problems.push(problem('signature', found.name, found.why));
    else {
      const message = `made by a newer version of tacho (${found.format}), so what it seals cannot be checked here`;
      problems.push(problem('unchecked', found.name, message));
    }
  }
  return seals;
}

async function walkLog(files: RecordFiles, seals: Map<number, Seal>, problems: Problem[]): Promise<WalkedLog> {
  const log: WalkedLog = { events: 0, checkpoints: [], chainAt: new Map(), lastSeq: new Map() };
  const wanted = new Set([...seals.values()].map((seal) => seal.chain.seq));
  const decoder = new TextDecoder();
  await withFile(files, EVENTS_FILE, async (file) => {
    for await (const lines of walkChain(file, files)) {
      for (const { line, seq, byteFrom, bytes, chain, problem } of lines) {
        if (problem) {
          const kind = problem.kind === 'torn' ? 'incomplete' : 'chain';
          problems.push({ kind, path: EVENTS_FILE, byte: byteFrom, line, message: `line ${line}: ${problem.message}` });
          // After the first break every later value differs too; one place is what a person needs.
          if (kind === 'chain') return;
          continue;
        }
        log.events++;
        if (seq !== null && chain !== null && wanted.has(seq)) log.chainAt.set(seq, chain);
        noteEvent(log, JSON.parse(decoder.decode(bytes)) as Partial<RaspEvent>);
      }
    }
  });
  return log;
}

/** A chained line is what its writer wrote, which may be a newer version of tacho: only what is understood counts. */
function noteEvent(log: WalkedLog, { attempt_number: attempt, seq, event, data }: Partial<RaspEvent>): void {
  if (typeof attempt !== 'number' || typeof seq !== 'number') return;
  log.lastSeq.set(attempt, seq);
  if (event?.type !== 'lifecycle.recording.checkpoint') return;
  const { stream, bytes, sha256 } = (data ?? {}) as Partial<Checkpoint>;
  if (!rawStreamSchema.options.includes(stream!) || typeof bytes !== 'number' || typeof sha256 !== 'string') return;
  log.checkpoints.push({ attempt, stream: stream!, bytes, sha256 });
}

async function checkSeals(checking: Checking): Promise<void> {
  const { files, log, problems } = checking;
  for (const seal of checking.seals.values()) {
    const name = attemptFileNames(seal.attempt).seal;
    const signature = seal.run_id === files.runId ? await checkSignature(files, seal) : 'wrong';
    if (signature === 'valid') checking.signatures++;
    else if (signature === 'wrong') problems.push(problem('signature', name, 'the signature does not fit'));
    else problems.push(problem('unchecked', name, 'ed25519 signatures cannot be checked here; use tacho verify'));
    const chained = log.chainAt.get(seal.chain.seq);
    if (chained !== undefined && chained !== seal.chain.head) {
      const message = `event ${seal.chain.seq} is not the one that was sealed`;
      problems.push({ ...problem('chain', EVENTS_FILE, message), line: seal.chain.seq });
    }
    if ((log.lastSeq.get(seal.attempt) ?? 0) > seal.chain.seq) {
      const message = `events of attempt ${seal.attempt} were added after it was sealed`;
      problems.push({ ...problem('chain', EVENTS_FILE, message), line: seal.chain.seq + 1 });
    }
    for (const file of seal.files) await checkFile(checking, seal.attempt, file);
  }
}

async function checkFile(
  { files, log, problems }: Checking,
  attempt: number,
  sealed: Seal['files'][number],
): Promise<void> {
  let now: Awaited<ReturnType<typeof hashFile>>;
  try {
    now = await hashFile(files, sealed.path, sealed.prefix ? sealed.bytes : undefined);
  } catch (error) {
    problems.push(problem('unchecked', sealed.path, `cannot be read: ${(error as Error).message}`));
    return;
  }
  if (now === null) {
    problems.push(problem('missing', sealed.path, 'missing'));
    return;
  }
  if (now.sha256 === sealed.sha256 && now.bytes === sealed.bytes) return;
  // The chain names the line; a second report of the same change would only hide it.
  const isKnown = problems.some(({ path, kind }) => path === EVENTS_FILE && kind !== 'incomplete');
  if (sealed.path === EVENTS_FILE && isKnown) return;
  const byte = await locateDifference(files, attempt, sealed.path, log.checkpoints);
  const where = byte === null ? '' : ` at byte ${byte}`;
  const rightSize = now.size === sealed.bytes || (sealed.prefix && now.size > sealed.bytes);
  const sizes = rightSize ? '' : ` (${now.size} bytes, sealed with ${sealed.bytes})`;
  problems.push({ ...problem('changed', sealed.path, `changed${where}${sizes}`), byte });
}

/** No seal that can be read: the recording was cut off, or goes on. What checkpoints say of the bytes must still hold. */
async function checkUnsealed({ files, seals, log, attempts, problems }: Checking): Promise<void> {
  const present = new Set(await files.names());
  for (const attempt of attempts) {
    if (seals.has(attempt)) continue;
    const names = attemptFileNames(attempt);
    const missing = [names.meta, names.fsDiff, names.seal].filter((name) => !present.has(name));
    if (!present.has(names.seal)) {
      const message = `attempt ${attempt} is not sealed: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
      problems.push(problem('incomplete', names.seal, message));
    }
    const own = log.checkpoints.filter((checkpoint) => checkpoint.attempt === attempt);
    const last = new Map(own.map((checkpoint) => [checkpoint.stream, checkpoint]));
    for (const { stream, bytes, sha256 } of last.values()) {
      const name = names[stream];
      if ((await hashFile(files, name, bytes))?.sha256 === sha256) continue;
      const byte = await locateDifference(files, attempt, name, log.checkpoints);
      problems.push({ ...problem('changed', name, 'does not hold the bytes of its last checkpoint'), byte });
    }
  }
}

/** The run record says how many attempts there were; one that left nothing at all was taken away. */
async function checkLastAttempt({ files, attempts, problems }: Checking): Promise<void> {
  // Without a readable record there is nothing to compare with; reading it is others' business.
  const record = await readRunRecord(files).catch(() => null);
  const last = record?.attempt ?? 0;
  if (last === 0 || attempts.includes(last)) return;
  problems.push(problem('missing', RUN_RECORD_FILE, `names attempt ${last}, of which nothing is there`));
}

async function hashFile(
  files: RecordFiles,
  name: string,
  upTo?: number,
): Promise<{ size: number; bytes: number; sha256: string } | null> {
  return withFile(files, name, async (file) => {
    if (file === null) return null;
    const hash = files.sha256.start();
    let hashed = 0;
    for await (const { bytes } of pieces(file, 0, Math.min(file.size, upTo ?? file.size))) {
      hash.update(bytes);
      hashed += bytes.length;
    }
    return { size: file.size, bytes: hashed, sha256: hash.digest() };
  });
}

function attemptsWithFiles(names: readonly string[]): number[] {
  return names
    .map((name) => Number(/^(?:stdin|stdout|meta|fs-before)\.(\d+)\./.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0);
}

function problem(kind: Problem['kind'], path: string, message: string): Problem {
  return { kind, path, byte: null, line: null, message };
}
