import path from 'node:path';
import { readRegularFile } from '../files/index.ts';
import { type Meta, RUN_ID_PATTERN, type RunView } from '../protocol/index.ts';
import { listRunIds, nextAttempt, runFolderAt } from '../recording/index.ts';
import { recordFile } from './locate-run.ts';

/** How many runs the first count reads: the figures show changes, not history. */
const MAX_RUNS = 1000;

interface Sums {
  attempts: number;
  events: number;
  confidence: number;
  /** Attempts with a known confidence. */
  rated: number;
  fallbacks: number;
  unknown: number;
  bytes: number;
  coveredBytes: number;
}

export interface ParseFigure {
  engine: string;
  attempts: number;
  confidence: number | null;
  fallbackShare: number;
  unknownShare: number;
  coverage: number;
}

/** How well the output of each engine was parsed, from the meta files of finished attempts. */
export class ParseFigures {
  readonly #runsRoot: string;
  readonly #counted = new Set<string>();
  readonly #sums = new Map<string, Sums>();
  #first: Promise<void> | null = null;

  constructor(runsRoot: string) {
    this.#runsRoot = runsRoot;
  }

  async read(): Promise<ParseFigure[]> {
    this.#first ??= this.#countExisting();
    await this.#first;
    return [...this.#sums].map(([engine, sums]) => ({
      engine,
      attempts: sums.attempts,
      confidence: sums.rated === 0 ? null : sums.confidence / sums.rated,
      fallbackShare: share(sums.fallbacks, sums.events),
      unknownShare: share(sums.unknown, sums.events),
      coverage: sums.bytes === 0 ? 1 : sums.coveredBytes / sums.bytes,
    }));
  }

  /** Counts the last attempt of a run when it is a new one. */
  async note({ run_id, last }: Pick<RunView, 'run_id' | 'last'>): Promise<void> {
    // Before the first request there is nothing to update.
    if (this.#first !== null && last !== null) await this.#count(run_id, last.attempt);
  }

  async #countExisting(): Promise<void> {
    for (const runId of listRunIds(this.#runsRoot).slice(-MAX_RUNS)) {
      const folder = runFolderAt(path.join(this.#runsRoot, runId));
      let attempts = 0;
      try {
        attempts = nextAttempt(folder) - 1;
      } catch {
        continue; // Removed meanwhile.
      }
      for (let attempt = 1; attempt <= attempts; attempt++) await this.#count(runId, attempt);
    }
  }

  async #count(runId: string, attempt: number): Promise<void> {
    const key = `${runId} ${attempt}`;
    if (this.#counted.has(key) || !RUN_ID_PATTERN.test(runId)) return;
    const file = recordFile(runFolderAt(path.join(this.#runsRoot, runId)), `meta.${attempt}.json`);
    if (file === null) return;
    this.#counted.add(key);
    try {
      this.#add(JSON.parse(readRegularFile(file)) as Meta);
    } catch {
      // Unreadable; requests for the attempt itself report the error.
    }
  }

  #add({ engine, parse }: Meta): void {
    if (!parse) return;
    const sums = this.#sums.get(engine) ?? blankSums();
    this.#sums.set(engine, sums);
    sums.attempts++;
    sums.events += parse.events;
    sums.fallbacks += parse.fallbacks;
    sums.unknown += parse.unknown;
    sums.bytes += parse.bytes;
    sums.coveredBytes += parse.coverage * parse.bytes;
    if (parse.average_confidence !== null) {
      sums.confidence += parse.average_confidence;
      sums.rated++;
    }
  }
}

function blankSums(): Sums {
  return { attempts: 0, events: 0, confidence: 0, rated: 0, fallbacks: 0, unknown: 0, bytes: 0, coveredBytes: 0 };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
