import { createHash } from 'node:crypto';
import path from 'node:path';
import type { SessionFormat } from '../../engines/index.ts';
import { isRegularFile } from '../../files/index.ts';
import { attemptFileNames } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { SessionFile } from './session-file.ts';

const LINE_FEED = 0x0a;

/** One line of a session file. */
export interface SessionLine {
  /** With its line feed. */
  bytes: Buffer;
  /** What it is known by when the file is written anew. */
  key: string;
  /** In milliseconds since the epoch, if it says so. */
  time: number | null;
  entry: Record<string, unknown> | null;
}

export function* linesIn(lines: Buffer, format: SessionFormat): Generator<SessionLine> {
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(LINE_FEED, from);
    const to = end < 0 ? lines.length : end + 1;
    const bytes = lines.subarray(from, to);
    const entry = parse(bytes);
    const key = (entry && format.idOf(entry)) ?? createHash('sha256').update(bytes).digest('base64');
    yield { bytes, key, time: entry && format.timeOf(entry), entry };
    from = to;
  }
}

/** How often each line is recorded: of a file that is read again, only what exceeds this is new. */
export class EntryCounts {
  readonly #counts = new Map<string, number>();

  /** Of all attempts before this one. */
  static recorded(
    folder: RunFolder,
    attempts: number,
    format: SessionFormat,
    counts: EntryCounts = new EntryCounts(),
  ): EntryCounts {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const file = path.join(folder.audit, attemptFileNames(attempt).stdout);
      if (!isRegularFile(file)) continue;
      for (const { lines } of new SessionFile(file).read()) {
        for (const { key } of linesIn(lines, format)) counts.add(key);
      }
    }
    return counts;
  }

  /** The complete lines that are not among them, each of which is taken off. */
  *missingIn(pieces: Iterable<Buffer>, format: SessionFormat): Generator<Buffer> {
    for (const lines of completeLines(pieces)) {
      for (const { key, bytes } of linesIn(lines, format)) if (!this.take(key)) yield bytes;
    }
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Takes one off; false if there was none. */
  take(key: string): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count === 0) return false;
    if (count === 1) this.#counts.delete(key);
    else this.#counts.set(key, count - 1);
    return true;
  }
}

function* completeLines(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  for (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([...held, piece.subarray(0, end)]);
    if (end > 0) held = [];
    // The piece is valid until the next one only.
    if (end < piece.length) held.push(Buffer.from(piece.subarray(end)));
  }
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null; // Kept as it is; the parser reports it.
  }
}
