import { type FileHandle, open } from 'node:fs/promises';
import { genesisChain, recomputedChain, statedChain } from './chain.ts';
import { completeLines } from './file/complete-lines.ts';
import { errnoOf } from './file/file-errors.ts';
import { readLineSeq } from './file/line-head.ts';
import { logPlace } from './file/log-file.ts';

export type ChainProblemKind =
  /** The line is not a JSON object that ends with a chain member. */
  | 'not_json'
  | 'framing'
  | 'seq'
  | 'chain'
  /** The log ends in the middle of a line. */
  | 'torn'
  /** The log ends before the asked-for number of bytes. */
  | 'short';

export interface ChainProblem {
  kind: ChainProblemKind;
  /** From 1. */
  line: number;
  byteFrom: number;
  byteTo: number;
  message: string;
}

export interface WalkedLine {
  line: number;
  /** Null when the line is not readable enough to have one. */
  seq: number | null;
  byteFrom: number;
  /** After the line feed. */
  byteTo: number;
  bytes: Buffer;
  /** What the line says its chain value is. */
  chain: string | null;
  problem: ChainProblem | null;
}

export type ChainVerdict = { lines: number; bytes: number; lastSeq: number; head: string } & (
  | { ok: true }
  | { ok: false; problem: ChainProblem }
);

interface ChainScope {
  /** Only the first so many bytes, for a log that was sealed as a prefix. */
  upToBytes?: number | undefined;
}

/** Every line of a log with what is wrong about it, in batches; after a problem the walk goes on from what the line says. */
export async function* walkChain(
  path: string,
  runId: string,
  { upToBytes = Number.POSITIVE_INFINITY }: ChainScope = {},
): AsyncGenerator<WalkedLine[], void, undefined> {
  const handle = await openOrNull(path);
  const { lineStart } = logPlace(runId, '');
  let previous = genesisChain(runId);
  let expectedSeq = 1;
  let lineNumber = 0;
  let walkedTo = 0;
  try {
    for await (const lines of handle === null ? [] : completeLines(handle, 0, { byteTo: upToBytes })) {
      const walked: WalkedLine[] = [];
      for (const { byteFrom, byteTo, bytes } of lines) {
        lineNumber++;
        const seq = readLineSeq(bytes, lineStart);
        const chain = statedChain(bytes);
        const problem = findProblem(bytes, { seq, expectedSeq, chain, previous });
        walked.push({
          line: lineNumber,
          seq,
          byteFrom,
          byteTo,
          bytes,
          chain,
          problem: problem === null ? null : { ...problem, line: lineNumber, byteFrom, byteTo },
        });
        previous = chain ?? previous;
        expectedSeq = (seq ?? expectedSeq) + 1;
        walkedTo = byteTo;
      }
      yield walked;
    }
    const size = handle === null ? 0 : (await handle.stat()).size;
    const end = problemAtTheEnd(walkedTo, Math.min(size, upToBytes), upToBytes);
    if (end !== null) yield [lineOfNothing({ ...end, line: lineNumber + 1, byteFrom: walkedTo })];
  } finally {
    await handle?.close();
  }
}

/** The first thing wrong with a log, and how far it held. */
export async function verifyChain(path: string, runId: string, scope: ChainScope = {}): Promise<ChainVerdict> {
  const held = { lines: 0, bytes: 0, lastSeq: 0, head: genesisChain(runId) };
  for await (const batch of walkChain(path, runId, scope)) {
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

function findProblem(
  bytes: Buffer,
  line: { seq: number | null; expectedSeq: number; chain: string | null; previous: string },
): Problem | null {
  const { seq, expectedSeq, chain, previous } = line;
  const chained = chain !== null && recomputedChain(previous, bytes) === chain;
  if (chained && seq === expectedSeq) return null;
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
  return { line, seq: null, byteFrom, byteTo, bytes: Buffer.alloc(0), chain: null, problem };
}

function isJsonObject(bytes: Buffer): boolean {
  try {
    const value = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  return open(path, 'r').catch((error) => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  });
}
