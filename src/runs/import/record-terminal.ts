import { Recorder } from '../../recording/index.ts';
import type { TerminalHeader, TerminalMoment } from './formats/terminal-moment.ts';

/** Recordings with more bytes between two writes are written in between. */
const FLUSH_MOMENTS = 4096;

interface Target {
  auditFolder: string;
  attempt: number;
  /** Whether output has sides. */
  mode?: 'split' | 'merged';
}

export interface RecordedTerminal {
  /** Output, without the header of its file. */
  outputBytes: number;
  /** Microseconds since the epoch. */
  endedAt: number;
}

/** Writes the moments of a terminal as the files of an attempt: bytes, input, sizes, and the time of each. */
export function recordTerminal(
  moments: Iterable<TerminalMoment>,
  header: TerminalHeader & { startedAt: number },
  { auditFolder, attempt, mode = 'merged' }: Target,
): RecordedTerminal {
  const startedAt = Math.round(header.startedAt * 1000);
  let now = startedAt;
  let failure: unknown = null;
  let outputBytes = 0;
  const recorder = new Recorder({
    auditFolder,
    attempt,
    mode,
    level: 'standard',
    clock: { now: () => now },
    header: {
      startedAt: new Date(Math.floor(startedAt / 1000)),
      command: header.command ?? 'imported',
      term: header.term,
      cols: header.cols,
      rows: header.rows,
    },
    onRecorded: () => {},
    onFailure: (error) => {
      failure = error;
    },
  });
  try {
    let pending = 0;
    for (const moment of moments) {
      now = startedAt + moment.time;
      if (moment.kind === 'resize') recorder.resize(moment.cols, moment.rows);
      else if (moment.kind === 'input') recorder.input(moment.bytes);
      else {
        recorder.output(moment.side ?? 'a', moment.bytes);
        outputBytes += moment.bytes.length;
      }
      if (++pending < FLUSH_MOMENTS) continue;
      pending = 0;
      recorder.flush();
      if (failure) break;
    }
  } finally {
    recorder.close();
  }
  if (failure) throw failure;
  return { outputBytes, endedAt: now };
}
