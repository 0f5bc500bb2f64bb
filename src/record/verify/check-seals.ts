import { attemptFileNames, EVENTS_FILE, type Seal } from '../../protocol/index.ts';
import { type Checking, problem } from './checking.ts';
import { hashFile } from './hash-file.ts';
import { locateDifference } from './locate-difference.ts';
import { checkSignature } from './seals.ts';

/** Checks the statements of each seal about the log and the attempt's files. */
export async function checkSeals(checking: Checking): Promise<void> {
  const { files, log, problems } = checking;
  for (const seal of checking.seals.values()) {
    const name = attemptFileNames(seal.attempt).seal;
    const signature = seal.run_id === files.runId ? await checkSignature(files, seal) : 'wrong';
    if (signature === 'valid') checking.signatures++;
    else if (signature === 'wrong') problems.push(problem('signature', name, 'the signature does not fit'));
    else problems.push(problem('unchecked', name, 'ed25519 signatures cannot be checked here; use tacho verify'));
    const chained = log.chainAt.get(seal.chain.seq);
    const isBroken = chained === undefined && problems.some(({ kind }) => kind === 'chain');
    if (!isBroken && seal.chain.seq > 0 && chained !== seal.chain.head) {
      const is = chained === undefined ? 'is not in the log' : 'differs from the sealed one';
      const message = `event ${seal.chain.seq} ${is}`;
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
    // Reads only as much as was sealed: a file that has grown may be endless.
    now = await hashFile(files, sealed.path, sealed.bytes);
  } catch (error) {
    problems.push(problem('unchecked', sealed.path, `cannot be read: ${(error as Error).message}`));
    return;
  }
  if (now === null) {
    problems.push(problem('missing', sealed.path, 'missing'));
    return;
  }
  const hasGrown = !sealed.prefix && now.size > sealed.bytes;
  if (now.sha256 === sealed.sha256 && now.bytes === sealed.bytes && !hasGrown) return;
  // The chain already names the line; a second report of the same change would only hide it.
  const isKnown = problems.some(({ path, kind }) => path === EVENTS_FILE && kind !== 'incomplete');
  if (sealed.path === EVENTS_FILE && isKnown) return;
  const byte = await locateDifference(files, attempt, sealed.path, log.checkpoints);
  const where = byte === null ? '' : ` at byte ${byte}`;
  const rightSize = now.size === sealed.bytes || (sealed.prefix && now.size > sealed.bytes);
  const sizes = rightSize ? '' : ` (${now.size} bytes, sealed with ${sealed.bytes})`;
  problems.push({ ...problem('changed', sealed.path, `changed${where}${sizes}`), byte });
}

/** No readable seal: the recording was cut off, or is still running. The bytes must still match the checkpoints. */
export async function checkUnsealed({ files, seals, log, attempts, problems }: Checking): Promise<void> {
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
