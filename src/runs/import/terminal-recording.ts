import path from 'node:path';
import { attemptFileNames, type Capture, IMPORTED } from '../../protocol/index.ts';
import { ptyOutputHeader } from '../../recording/index.ts';
import { ByteSource } from './byte-source.ts';
import { copyLog } from './copy-log.ts';
import { type Asciicast, type CastReading, readAsciicast } from './formats/asciicast.ts';
import { readScriptHeader, ScriptContent } from './formats/script-log.ts';
import { ByteReader, readTiming, timedMoments } from './formats/script-timing.ts';
import { boundTimes, type TerminalHeader, type TerminalMoment } from './formats/terminal-moment.ts';
import type { AttemptPlace, Exit, ImportSource, WrittenLogs } from './import-source.ts';
import { recordTerminal } from './record-terminal.ts';

const TIMED: Capture = { mode: 'merged', reason: IMPORTED, level: 'standard' };
const HEAD_BYTES = 64 * 1024;

/** A recording by asciinema. */
export class CastRecording implements ImportSource {
  readonly capture = TIMED;
  readonly #source: ByteSource;
  readonly #cast: Asciicast;

  constructor(source: ByteSource, cast: Asciicast) {
    this.#source = source;
    this.#cast = cast;
  }

  write(place: AttemptPlace): WrittenLogs {
    const { version, header } = this.#cast;
    const startedAt = header.startedAt ?? this.#endingNow(place.now);
    const reading = readAsciicast(version, this.#source.pieces());
    const written = recordTerminal(momentsOf(reading), { ...header, startedAt }, place);
    return {
      ...written,
      startedAt: startedAt * 1000,
      exit: exited(reading.exitCode()),
      sources: [this.#source.facts()],
      damage: reading.damage.list,
    };
  }

  /** A recording that does not say when it began is taken to end now: no event lies in the future. */
  #endingNow(now: number): number {
    let length = 0;
    if (this.#source.isFile) {
      const again = new ByteSource(this.#source.path);
      try {
        for (const { time } of momentsOf(readAsciicast(this.#cast.version, again.pieces()))) length = time;
      } finally {
        again.close();
      }
    }
    return Math.floor((now - length) / 1000);
  }

  close(): void {
    this.#source.close();
  }
}

export interface ScriptSources {
  output: ByteSource;
  /** What was typed. */
  input: ByteSource | null;
  timing: ByteSource | null;
}

/** A recording by `script`, with times if there is a timing file. */
export class ScriptRecording implements ImportSource {
  readonly capture: Capture;
  readonly #sources: ScriptSources;

  constructor(sources: ScriptSources) {
    this.#sources = sources;
    this.capture = sources.timing ? TIMED : { ...TIMED, level: 'minimal' };
  }

  write(place: AttemptPlace): WrittenLogs {
    const { output, input, timing } = this.#sources;
    const found = readScriptHeader(output.peek(HEAD_BYTES));
    const content = new ScriptContent(output, found?.length ?? 0);
    const typed = input && new ScriptContent(input, readScriptHeader(input.peek(HEAD_BYTES))?.length ?? 0);
    const header = found?.header ?? UNKNOWN_TERMINAL;
    return timing
      ? this.#writeTimed(place, { header, content, typed, timing })
      : this.#writeUntimed(place, { header, content, typed });
  }

  #writeTimed(place: AttemptPlace, { header, content, typed, timing }: Contents & { timing: ByteSource }): WrittenLogs {
    const reading = readTiming(timing.pieces());
    const logs = {
      output: new ByteReader(content.pieces()),
      input: typed && new ByteReader(typed.pieces()),
    };
    const startedAt = header.startedAt ?? Math.floor(place.now / 1000);
    const moments = boundTimes(timedMoments(reading.steps, logs, reading.damage), reading.damage);
    const written = recordTerminal(moments, { ...header, startedAt }, place);
    const code = reading.facts.EXIT_CODE;
    return {
      ...written,
      startedAt: startedAt * 1000,
      exit: exited(content.trailer?.exitCode ?? (/^\d{1,3}$/.test(code ?? '') ? Number(code) : null)),
      sources: this.#facts(),
      damage: reading.damage.list,
    };
  }

  #writeUntimed({ auditFolder, attempt, now }: AttemptPlace, { header, content, typed }: Contents): WrittenLogs {
    const names = attemptFileNames(attempt);
    const startedAt = header.startedAt ?? Math.floor(now / 1000);
    const line = ptyOutputHeader({ ...header, startedAt: new Date(startedAt), command: header.command ?? 'imported' });
    const outputBytes = copyLog(content.pieces(), path.join(auditFolder, names.pty), line);
    if (typed) copyLog(typed.pieces(), path.join(auditFolder, names.stdin));
    const endedAt = content.trailer?.endedAt ?? null;
    return {
      outputBytes,
      startedAt: startedAt * 1000,
      endedAt: endedAt === null ? null : endedAt * 1000,
      exit: exited(content.trailer?.exitCode ?? null),
      sources: this.#facts(),
      damage: [],
    };
  }

  #facts() {
    const { output, input, timing } = this.#sources;
    return [output, input, timing].filter((source) => source !== null).map((source) => source.facts());
  }

  close(): void {
    const { output, input, timing } = this.#sources;
    for (const source of [output, input, timing]) source?.close();
  }
}

interface Contents {
  header: TerminalHeader;
  content: ScriptContent;
  typed: ScriptContent | null;
}

const UNKNOWN_TERMINAL: TerminalHeader = { startedAt: null, command: null, term: 'dumb', cols: 0, rows: 0 };

function momentsOf({ moments, damage }: CastReading): Iterable<TerminalMoment> {
  return boundTimes(moments, damage);
}

function exited(exit_code: number | null): Exit | null {
  return exit_code === null ? null : { exit_code, signal: null };
}
