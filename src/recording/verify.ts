import fs from 'node:fs';
import path from 'node:path';
import { walkChain } from '../journal/index.ts';
import {
  attemptFileNames,
  EVENTS_FILE,
  type RaspEvent,
  type RawStream,
  RUN_RECORD_FILE,
  type Seal,
  TachoError,
} from '../protocol/index.ts';
import { hashFileInTurns } from './file-hash.ts';
import { locateDifference } from './locate-difference.ts';
import { type RunFolder, readRunRecord } from './run-folder.ts';
import { hasValidSignature, readSeal } from './seal.ts';

/** One thing that is not as it was sealed. */
export interface Problem {
  kind: 'changed' | 'missing' | 'signature' | 'chain' | 'incomplete';
  /** File, relative to the audit folder. */
  path: string;
  /** First byte that does not match, where it can be told. */
  byte: number | null;
  line: number | null;
  message: string;
}

export interface Verification {
  verdict: 'intact' | 'changed' | 'incomplete';
  problems: Problem[];
  checked: { events: number; files: number; bytes: number; attempts: number };
  keys: string[];
}

interface Checkpoint {
  attempt: number;
  stream: RawStream;
  bytes: number;
  sha256: string;
}

/** What walking the event log showed. */
interface WalkedLog {
  events: number;
  bytes: number;
  checkpoints: Checkpoint[];
  /** Chain value after each event that a seal names. */
  chainAt: Map<number, string>;
  /** Last event of each attempt. */
  lastSeq: Map<number, number>;
}

/** Recomputes everything the record claims about itself, and lets others work meanwhile. Never writes. */
export async function verifyRun(folder: RunFolder): Promise<Verification> {
  const problems: Problem[] = [];
  const seals = readSeals(folder, problems);
  const log = await walkLog(folder, seals, problems);
  for (const seal of seals.values()) await checkSeal(folder, seal, log, problems);
  const attempts = new Set([...log.lastSeq.keys(), ...attemptsWithFiles(folder)]);
  for (const attempt of [...attempts].sort((one, other) => one - other)) {
    if (!seals.has(attempt)) await checkUnsealed(folder, attempt, log, problems);
  }
  checkLastAttempt(folder, attempts, problems);
  const files = [...seals.values()].flatMap((seal) => seal.files);
  const changed = problems.some(({ kind }) => kind !== 'incomplete');
  return {
    verdict: changed ? 'changed' : problems.length > 0 ? 'incomplete' : 'intact',
    problems,
    checked: {
      events: log.events,
      files: files.length,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      attempts: attempts.size,
    },
    keys: [...new Set([...seals.values()].map((seal) => seal.key.id))],
  };
}

function readSeals(folder: RunFolder, problems: Problem[]): Map<number, Seal> {
  const seals = new Map<number, Seal>();
  for (const name of fs.readdirSync(folder.audit)) {
    const match = /^seal\.(\d+)\.json$/.exec(name);
    if (!match) continue;
    try {
      const seal = readSeal(folder, Number(match[1]));
      if (seal) seals.set(seal.attempt, seal);
    } catch (error) {
      if (!(error instanceof TachoError)) throw error;
      problems.push({
        kind: 'signature',
        path: name,
        byte: null,
        line: null,
        message: 'not a readable seal',
      });
      seals.delete(Number(match[1]));
    }
  }
  return seals;
}

async function walkLog(folder: RunFolder, seals: Map<number, Seal>, problems: Problem[]): Promise<WalkedLog> {
  const log: WalkedLog = { events: 0, bytes: 0, checkpoints: [], chainAt: new Map(), lastSeq: new Map() };
  const wanted = new Set([...seals.values()].map((seal) => seal.chain.seq));
  for await (const lines of walkChain(path.join(folder.audit, EVENTS_FILE), folder.runId)) {
    for (const { line, seq, byteFrom, byteTo, bytes, chain, problem } of lines) {
      if (problem) {
        const kind = problem.kind === 'torn' ? 'incomplete' : 'chain';
        problems.push({ kind, path: EVENTS_FILE, byte: byteFrom, line, message: `line ${line}: ${problem.message}` });
        // After the first break every later value differs too; one place is what a person needs.
        if (kind === 'chain') return log;
        continue;
      }
      log.events++;
      log.bytes = byteTo;
      if (seq !== null && chain !== null && wanted.has(seq)) log.chainAt.set(seq, chain);
      const event = JSON.parse(bytes.toString('utf8')) as RaspEvent;
      log.lastSeq.set(event.attempt_number, event.seq);
      if (event.event.type === 'lifecycle.recording.checkpoint') {
        log.checkpoints.push({ attempt: event.attempt_number, ...(event.data as Omit<Checkpoint, 'attempt'>) });
      }
    }
  }
  return log;
}

async function checkSeal(folder: RunFolder, seal: Seal, log: WalkedLog, problems: Problem[]): Promise<void> {
  const name = attemptFileNames(seal.attempt).seal;
  if (seal.run_id !== folder.runId || !hasValidSignature(seal)) {
    problems.push({
      kind: 'signature',
      path: name,
      byte: null,
      line: null,
      message: 'the signature does not fit',
    });
  }
  const chained = log.chainAt.get(seal.chain.seq);
  if (chained !== undefined && chained !== seal.chain.head) {
    const message = `event ${seal.chain.seq} is not the one that was sealed`;
    problems.push({ kind: 'chain', path: EVENTS_FILE, byte: null, line: seal.chain.seq, message });
  }
  const lastSeq = log.lastSeq.get(seal.attempt) ?? 0;
  if (lastSeq > seal.chain.seq) {
    const message = `events of attempt ${seal.attempt} were added after it was sealed`;
    problems.push({ kind: 'chain', path: EVENTS_FILE, byte: null, line: seal.chain.seq + 1, message });
  }
  for (const file of seal.files) {
    const at = path.join(folder.audit, file.path);
    if (!fs.existsSync(at)) {
      problems.push({ kind: 'missing', path: file.path, byte: null, line: null, message: 'missing' });
      continue;
    }
    const size = fs.statSync(at).size;
    const now = await hashFileInTurns(at, file.prefix ? file.bytes : undefined);
    if (now.sha256 === file.sha256 && now.bytes === file.bytes) continue;
    // The chain names the line; a second report of the same change would only hide it.
    if (
      file.path === EVENTS_FILE &&
      problems.some(({ path: name, kind }) => name === EVENTS_FILE && kind !== 'incomplete')
    ) {
      continue;
    }
    const byte = await locateDifference(folder, seal.attempt, file.path, log.checkpoints);
    const where = byte === null ? '' : ` at byte ${byte}`;
    const sizes =
      size === file.bytes || (file.prefix && size > file.bytes) ? '' : ` (${size} bytes, sealed with ${file.bytes})`;
    problems.push({
      kind: 'changed',
      path: file.path,
      byte,
      line: null,
      message: `changed${where}${sizes}`,
    });
  }
}

/** No seal: the recording was cut off, or goes on. What the chain's checkpoints say of the bytes must still hold. */
async function checkUnsealed(folder: RunFolder, attempt: number, log: WalkedLog, problems: Problem[]): Promise<void> {
  const names = attemptFileNames(attempt);
  const missing = [names.meta, names.fsDiff, names.seal].filter(
    (name) => !fs.existsSync(path.join(folder.audit, name)),
  );
  problems.push({
    kind: 'incomplete',
    path: names.seal,
    byte: null,
    line: null,
    message: `attempt ${attempt} is not sealed: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
  });
  const last = new Map<RawStream, Checkpoint>();
  for (const checkpoint of log.checkpoints) if (checkpoint.attempt === attempt) last.set(checkpoint.stream, checkpoint);
  for (const checkpoint of last.values()) {
    const file = path.join(folder.audit, names[checkpoint.stream]);
    const now = fs.existsSync(file) ? await hashFileInTurns(file, checkpoint.bytes) : null;
    if (now?.sha256 === checkpoint.sha256) continue;
    const name = names[checkpoint.stream];
    const byte = await locateDifference(folder, attempt, name, log.checkpoints);
    const message = 'does not hold the bytes its checkpoint speaks of';
    problems.push({ kind: 'changed', path: name, byte, line: null, message });
  }
}

/** The run record says how many attempts there were; one that left nothing at all was taken away. */
function checkLastAttempt(folder: RunFolder, attempts: ReadonlySet<number>, problems: Problem[]): void {
  let last: number;
  try {
    last = readRunRecord(folder).attempt;
  } catch {
    return; // Without a readable record there is nothing to compare with; reading it is others' business.
  }
  if (attempts.has(last) || last === 0) return;
  const message = `speaks of attempt ${last}, of which nothing is there`;
  problems.push({ kind: 'missing', path: RUN_RECORD_FILE, byte: null, line: null, message });
}

function attemptsWithFiles(folder: RunFolder): number[] {
  const numbers = fs
    .readdirSync(folder.audit)
    .map((name) => /^(?:stdin|stdout|meta|fs-before)\.(\d+)\./.exec(name)?.[1]);
  return [...new Set(numbers.filter((number) => number !== undefined).map(Number))];
}
