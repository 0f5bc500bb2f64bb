import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createFileJournal, type FileJournalOptions, type Journal, nodeSha256 } from '../../src/journal/index.ts';
import { EVENTS_FILE, type RaspDraft, type RaspEvent } from '../../src/protocol/index.ts';
import { type ChainVerdict, verifyChain } from '../../src/record/walk-chain.ts';
import { openRecordFile } from '../../src/recording/index.ts';
import { builtProgram } from '../support/program.ts';
import { smallDisk } from '../support/small-disk.ts';
import { removeFolder } from '../support/tacho.ts';

export const RUN = '20261115T080000-codex-0123abcd';
export const FIRST_TIME = Date.parse('2026-11-15T08:00:00.000Z');

/** The verdict on a journal's file. */
export async function verifyLog(file: string): Promise<ChainVerdict> {
  const log = await openRecordFile(file);
  try {
    return await verifyChain(log, { runId: RUN, sha256: nodeSha256 });
  } finally {
    await log?.close();
  }
}

/** An empty audit folder that is removed after the test. */
export function auditFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'tacho-journal-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

export function logPath(folder: string): string {
  return join(folder, EVENTS_FILE);
}

export function logLines(folder: string): string[] {
  return readFileSync(logPath(folder), 'utf8').split('\n').slice(0, -1);
}

export function openJournal(folder: string, options: Partial<FileJournalOptions> = {}): Journal {
  return createFileJournal({ locate: () => folder, fsync: 'off', ...options });
}

export function draft(text: string, time = FIRST_TIME): RaspDraft {
  return {
    ts: new Date(time).toISOString(),
    attempt_number: 1,
    source: { engine: 'codex', parser: 'codex_ndjson', stream: 'stdout', confidence: 0.95 },
    event: { category: 'raw', type: 'raw.stdout' },
    data: { text, lines: 1 },
    correlation: {},
    raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: 0, byte_to: text.length },
  };
}

export function drafts(count: number, text = 'line'): RaspDraft[] {
  return Array.from({ length: count }, (_, index) => draft(`${text} ${index}`, FIRST_TIME + index));
}

/** Claims, appends in one batch, releases. */
export async function writeEvents(folder: string, events: readonly RaspDraft[]): Promise<RaspEvent[]> {
  const journal = openJournal(folder);
  const { epoch, lastSeq } = await journal.claim(RUN);
  const kept = await appendOrThrow(journal, epoch, lastSeq, events);
  await journal.release(RUN, epoch);
  return kept;
}

export async function appendOrThrow(
  journal: Journal,
  epoch: number,
  expectedSeq: number,
  events: readonly RaspDraft[],
): Promise<RaspEvent[]> {
  const result = await journal.append(RUN, epoch, expectedSeq, events);
  if (!result.ok) throw new Error(result.reason);
  return result.events;
}

export async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** Reads `count` items of a tail. */
export async function take<T>(batches: AsyncIterable<T[]>, count: number): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) {
    all.push(...batch);
    if (all.length >= count) break;
  }
  return all;
}

export interface Program {
  child: ChildProcess;
  /** The next line it prints; null when it has ended. */
  nextLine(): Promise<string | null>;
  say(line: string): void;
  exited: Promise<number | null>;
}

/** Starts one of the programs in this folder as a separate process. */
export function startProgram(name: string, args: string[], wrapper: string[] = []): Program {
  return startFile(fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url)), args, wrapper);
}

export function startFile(file: string, args: string[], wrapper: string[] = []): Program {
  const [command, ...rest] = [...wrapper, process.execPath, builtProgram(file), ...args];
  const child = spawn(command!, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin!.on('error', () => {});
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    child,
    exited,
    nextLine: async () => (await lines.next()).value ?? null,
    say: (line) => void child.stdin!.write(`${line}\n`),
  };
}

/** An audit folder on a disk of this size. */
export function auditFolderOnSmallDisk(size: string): { folder: string; disk: string } {
  const disk = smallDisk(size);
  const folder = join(disk, 'audit');
  mkdirSync(folder);
  return { folder, disk };
}
