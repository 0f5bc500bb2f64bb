import path from 'node:path';
import { errnoOf, readRegularFile } from '../../../files/index.ts';
import { attemptFileNames, type Capture, type FsDiff, IMPORTED } from '../../../protocol/index.ts';
import { reconstructStreams } from '../../../recording/index.ts';
import { ByteSource, type SourceFacts } from '../byte-source.ts';
import { copyLog } from '../copy-log.ts';
import { readScriptHeader, ScriptContent } from '../formats/script-log.ts';
import { ByteReader, readTiming } from '../formats/script-timing.ts';
import { boundTimes, DamageReport, type TerminalHeader, type TerminalMoment } from '../formats/terminal-moment.ts';
import type { AttemptPlace, ImportSource, WrittenLogs } from '../import-source.ts';
import { OutputLogs } from '../output-logs.ts';
import { recordTerminal } from '../record-terminal.ts';
import { ScriptRecording } from '../terminal-recording.ts';
import { type AlignedStep, alignTimes } from './align-times.ts';
import type { AttemptFiles } from './attempt-files.ts';
import { readForeignDiff } from './foreign-diff.ts';
import type { ForeignMeta } from './foreign-meta.ts';

const HEADER_BYTES = 64 * 1024;
const NO_TERMINAL: TerminalHeader = { startedAt: null, command: null, term: 'dumb', cols: 0, rows: 0 };

/**
 * One attempt that another recorder wrote. Its streams get the times at which the terminal showed them; where streams and
 * terminal do not agree, they are kept as two records of the same, without times.
 */
export class FolderAttempt implements ImportSource {
  readonly capture: Capture;
  readonly #files: AttemptFiles;
  readonly #meta: ForeignMeta;
  readonly #opened: ByteSource[] = [];
  readonly #damage = new DamageReport();
  readonly #isTimed: boolean;

  static open(files: AttemptFiles, meta: ForeignMeta): FolderAttempt {
    // All of them are opened once, so that a link or a pipe is refused before anything is written.
    for (const file of Object.values(files)) if (file !== null) ByteSource.ofRegular(file).close();
    return new FolderAttempt(files, meta);
  }

  private constructor(files: AttemptFiles, meta: ForeignMeta) {
    this.#files = files;
    this.#meta = meta;
    if (meta.isDamaged) this.#damage.add('meta is not JSON', 0);
    this.#isTimed = this.#isSplit && files.pty !== null && files.timing !== null && this.#agrees();
    this.capture = this.#captureOf();
  }

  /** The beginning of its output. */
  head(length: number): Buffer {
    const { stdout, pty, stderr } = this.#files;
    const file = stdout ?? pty ?? stderr;
    if (file === null) return Buffer.alloc(0);
    const source = ByteSource.ofRegular(file);
    try {
      const head = source.peek(length);
      return head.subarray(readScriptHeader(head)?.length ?? 0);
    } finally {
      source.close();
    }
  }

  async write(place: AttemptPlace): Promise<WrittenLogs> {
    const written = await this.#writeLogs(place);
    const diff = this.#readDiff();
    const { startedAt, endedAt } = this.#meta;
    return {
      ...written,
      startedAt: written.startedAt ?? (startedAt === null ? null : startedAt * 1000),
      endedAt: written.endedAt ?? (endedAt === null ? null : endedAt * 1000),
      damage: [...this.#damage.list, ...written.damage],
      diff,
    };
  }

  close(): void {
    for (const source of this.#opened.splice(0)) source.close();
  }

  get #isSplit(): boolean {
    return this.#files.stdout !== null || this.#files.stderr !== null;
  }

  #captureOf(): Capture {
    const { pty, timing, trace } = this.#files;
    const common = { reason: IMPORTED, level: 'minimal' as const };
    if (this.#isTimed) return { ...common, mode: 'split', level: 'standard' };
    if (this.#isSplit) return { ...common, mode: 'split', ...(pty === null ? {} : { merged_apart: true }) };
    if (pty !== null) return { ...common, mode: 'merged', ...(timing === null ? {} : { level: 'standard' as const }) };
    return { ...common, mode: trace === null ? 'merged' : 'split' };
  }

  async #writeLogs(place: AttemptPlace): Promise<WrittenLogs> {
    const { stdout, stderr, pty, timing, stdin, trace } = this.#files;
    if (this.#isTimed) return this.#writeTimed(place);
    if (this.#isSplit) {
      const logs = { stdout: this.#open(stdout), stderr: this.#open(stderr), pty: this.#open(pty) };
      const written = new OutputLogs(logs).write(place);
      return { ...written, sources: [...written.sources, ...this.#copyTyped(place)] };
    }
    if (pty !== null) {
      const sources = { output: this.#open(pty)!, input: this.#open(stdin), timing: this.#open(timing) };
      return new ScriptRecording(sources).write(place);
    }
    return trace === null ? new OutputLogs({}).write(place) : await this.#writeTraced(trace, place);
  }

  /** What was typed, without times. */
  #copyTyped({ auditFolder, attempt }: AttemptPlace): SourceFacts[] {
    const source = this.#open(this.#files.stdin);
    if (!source) return [];
    copyLog(withoutScriptLines(source).pieces(), path.join(auditFolder, attemptFileNames(attempt).stdin));
    return [source.facts()];
  }

  #writeTimed(place: AttemptPlace): WrittenLogs {
    const { stdin } = this.#files;
    const { steps, header } = this.#align();
    const typed = this.#open(stdin);
    const readers = {
      a: new ByteReader(this.#open(this.#files.stdout)?.pieces() ?? []),
      b: new ByteReader(this.#open(this.#files.stderr)?.pieces() ?? []),
      input: new ByteReader(typed ? withoutScriptLines(typed).pieces() : []),
    };
    const startedAt = header.startedAt ?? this.#meta.startedAt ?? Math.floor(place.now / 1000);
    const moments = boundTimes(momentsOf(steps, readers), this.#damage);
    const written = recordTerminal(moments, { ...header, startedAt }, { ...place, mode: 'split' });
    return { ...written, startedAt: startedAt * 1000, exit: null, sources: factsOf(this.#opened), damage: [] };
  }

  /** The streams from the system calls that wrote them. */
  async #writeTraced(trace: string, { auditFolder, attempt }: AttemptPlace): Promise<WrittenLogs> {
    const names = attemptFileNames(attempt);
    const source = this.#open(trace)!;
    const files = [names.stdout, names.stderr].map((name) => path.join(auditFolder, name)) as [string, string];
    const { stdoutChunks, stderrChunks, truncated } = await reconstructStreams(source.pieces(), ...files);
    if (truncated.bytes > 0) this.#damage.add('the trace does not show all that was written', truncated.bytes);
    const outputBytes = (stdoutChunks.at(-1)?.byte_to ?? 0) + (stderrChunks.at(-1)?.byte_to ?? 0);
    return { outputBytes, startedAt: null, endedAt: null, exit: null, sources: [source.facts()], damage: [] };
  }

  /** Whether the terminal showed exactly what the streams hold, so that its times are theirs. */
  #agrees(): boolean {
    try {
      const { steps, damage } = this.#align();
      let step = steps.next();
      while (!step.done) step = steps.next();
      const { missing, extra } = step.value;
      for (const { problem, at } of damage.list) this.#damage.add(problem, at);
      if (missing > 0) this.#damage.add('the terminal did not show all of the streams, so they have no times', missing);
      if (extra > 0) this.#damage.add('the terminal showed more than the streams, so they have no times', extra);
      return missing === 0 && extra === 0;
    } finally {
      this.close();
    }
  }

  #align() {
    const { stdout, stderr, pty, timing } = this.#files;
    const [terminal, times] = [this.#open(pty)!, this.#open(timing)!];
    const { steps, damage } = readTiming(times.pieces());
    const header = readScriptHeader(terminal.peek(HEADER_BYTES))?.header ?? NO_TERMINAL;
    const aligned = alignTimes({
      terminal: withoutScriptLines(terminal).pieces(),
      steps,
      stdout: this.#open(stdout)?.pieces() ?? [],
      stderr: this.#open(stderr)?.pieces() ?? [],
    });
    return { steps: aligned, damage, header };
  }

  #readDiff(): FsDiff | null {
    const { diff } = this.#files;
    if (diff === null) return null;
    let read: FsDiff | null = null;
    try {
      read = readForeignDiff(readRegularFile(diff));
      if (!read) this.#damage.add('fs-diff is not a list of changes', 0);
    } catch (error) {
      if (errnoOf(error) !== 'EFBIG') throw error;
      this.#damage.add('fs-diff is too large', 0);
    }
    return read;
  }

  #open(file: string | null): ByteSource | null {
    if (file === null) return null;
    const source = ByteSource.ofRegular(file);
    this.#opened.push(source);
    return source;
  }
}

function withoutScriptLines(source: ByteSource): ScriptContent {
  return new ScriptContent(source, readScriptHeader(source.peek(HEADER_BYTES))?.length ?? 0);
}

/** Each file once: some are read twice. */
function factsOf(sources: readonly ByteSource[]): SourceFacts[] {
  return [...new Map(sources.map((source) => [source.path, source.facts()])).values()];
}

function* momentsOf(
  steps: Iterable<AlignedStep>,
  readers: Record<'a' | 'b' | 'input', ByteReader>,
): Generator<TerminalMoment> {
  for (const step of steps) {
    if (step.kind === 'resize') {
      yield step;
      continue;
    }
    for (let left = step.length; left > 0; ) {
      const bytes = readers[step.kind].take(left);
      if (bytes.length === 0) break;
      left -= bytes.length;
      yield step.kind === 'input'
        ? { kind: 'input', time: step.time, bytes }
        : { kind: 'output', side: step.kind, time: step.time, bytes };
    }
  }
}
