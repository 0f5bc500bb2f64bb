import { endsWithChain, genesisChain, MEMBER_LENGTH, recomputedChain, statedChain } from './chain.ts';
import { type FileLine, linesOf } from './file-pieces.ts';
import { lineStartOf, readLineSeq } from './line-head.ts';
import type { RecordFile, Sha256 } from './record-files.ts';

export type ChainProblemKind =
  /** The line is not a JSON object that ends with a chain member. */
  | 'not_json'
  | 'framing'
  | 'seq'
  | 'chain'
  /** The log ends in the middle of a line. */
  | 'torn'
  /** The log ends before the requested number of bytes. */
  | 'short';

export interface ChainProblem {
  kind: ChainProblemKind;
  /** From 1. */
  line: number;
  byteFrom: number;
  byteTo: number;
  message: string;
}

export interface WalkedLine extends Omit<FileLine, 'complete'> {
  /** Null if the line is too damaged to have one. */
  seq: number | null;
  /** The chain value stated in the line. */
  chain: string | null;
  problem: ChainProblem | null;
}

export type ChainVerdict = { lines: number; bytes: number; lastSeq: number; head: string } & (
  | { ok: true }
  | { ok: false; problem: ChainProblem }
);

export interface ChainScope {
  runId: string;
  sha256: Sha256;
  /** `protocol_version` of the lines; RASP by default. */
  version?: string;
  /** Read only this many bytes, for a log that was sealed as a prefix. */
  upToBytes?: number;
}

/**
 * Every line of a log with its problem, in batches; after a problem the walk continues with the chain value of the
 * line.
 */
export async function* walkChain(
  file: RecordFile | null,
  { runId, sha256, version, upToBytes = Number.POSITIVE_INFINITY }: ChainScope,
): AsyncGenerator<WalkedLine[], void, undefined> {
  const lineStart = lineStartOf(runId, version);
  const size = Math.min(file?.size ?? 0, upToBytes);
  let previous = genesisChain(runId, sha256);
  let expectedSeq = 1;
  let lineNumber = 0;
  let walkedTo = 0;
  for await (const lines of file === null ? [] : linesOf(file, size)) {
    const walked: WalkedLine[] = [];
    for (const { line, byteFrom, byteTo, bytes, complete } of lines) {
      if (!complete) break;
      const seq = readLineSeq(bytes, lineStart);
      const computed = bytes.length > MEMBER_LENGTH ? recomputedChain(previous, bytes, sha256) : '';
      const isChained = computed !== '' && endsWithChain(bytes, computed);
      const chain = isChained ? computed : statedChain(bytes);
      const wrong = isChained && seq === expectedSeq ? null : problemOf(bytes, { seq, expectedSeq, chain });
      const problem = wrong && { ...wrong, line, byteFrom, byteTo };
      walked.push({ line, byteFrom, byteTo, bytes, seq, chain, problem });
      previous = chain ?? previous;
      expectedSeq = (seq ?? expectedSeq) + 1;
      lineNumber = line;
      walkedTo = byteTo;
    }
    yield walked;
  }
  const end = problemAtTheEnd(walkedTo, size, upToBytes);
  if (end !== null) yield [lineOfNothing({ ...end, line: lineNumber + 1, byteFrom: walkedTo })];
}

/** The first problem of a log, and how far it was intact. */
export async function verifyChain(file: RecordFile | null, scope: ChainScope): Promise<ChainVerdict> {
  const held = { lines: 0, bytes: 0, lastSeq: 0, head: genesisChain(scope.runId, scope.sha256) };
  for await (const batch of walkChain(file, scope)) {
    for (const { line, seq, byteTo, chain, problem } of batch) {
      if (problem !== null) return { ok: false, ...held, problem };
      held.lines = line;
      held.bytes = byteTo;
      held.lastSeq = seq!;
      held.head = chain!;
    }
  }
  return { ok: true, ...held };
}

type Problem = Pick<ChainProblem, 'kind' | 'message'>;

function problemOf(
  bytes: Uint8Array,
  { seq, expectedSeq, chain }: { seq: number | null; expectedSeq: number; chain: string | null },
): Problem {
  if (!isJsonObject(bytes)) return { kind: 'not_json', message: 'The line is not a JSON object.' };
  if (chain === null) return { kind: 'framing', message: 'The line does not end with its chain value.' };
  if (seq !== expectedSeq) {
    return { kind: 'seq', message: `Event ${seq ?? 'without a number'} stands where event ${expectedSeq} should be.` };
  }
  return { kind: 'chain', message: `Event ${seq}, or the order of the events before it, was changed.` };
}

function problemAtTheEnd(walkedTo: number, size: number, upToBytes: number): (Problem & { byteTo: number }) | null {
  if (size > walkedTo) return { kind: 'torn', byteTo: size, message: 'The log ends in the middle of a line.' };
  if (upToBytes === Number.POSITIVE_INFINITY || size >= upToBytes) return null;
  return { kind: 'short', byteTo: upToBytes, message: `The log ends after ${size} bytes; it once had ${upToBytes}.` };
}

function lineOfNothing(problem: ChainProblem): WalkedLine {
  const { line, byteFrom, byteTo } = problem;
  return { line, seq: null, byteFrom, byteTo, bytes: new Uint8Array(0), chain: null, problem };
}

function isJsonObject(bytes: Uint8Array): boolean {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
