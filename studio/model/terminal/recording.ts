import type { TimingAnswer } from '../../../src/client/index.ts';

interface Resize {
  /** Milliseconds since the epoch. */
  time: number;
  /** Length of the output at that time. */
  offset: number;
  cols: number;
  rows: number;
}

/** Typed or sent input: a range of stdin. */
interface Input {
  time: number;
  from: number;
  to: number;
}

/** When each piece of an attempt's output was read, from its chunk index. Only `addChunks` extends it. */
export interface Recording {
  readonly attempt: number;
  /** Number of chunks processed; the cursor for the next ones. */
  chunks: number;
  /** Bytes before the output in the merged file; null if there is no such file, and so nothing to play. */
  header: number | null;
  /** Stdout and stderr were separate, with bare line feeds; otherwise the terminal translated them. */
  split: boolean;
  /** A frame is one read of output: frame n was read at `times[n]`, milliseconds since the epoch… */
  readonly times: number[];
  /** …and then the merged file ended at `ends[n]`. */
  readonly ends: number[];
  readonly resizes: Resize[];
  readonly inputs: Input[];
}

export function emptyRecording(attempt: number): Recording {
  return { attempt, chunks: 0, header: null, split: true, times: [], ends: [], resizes: [], inputs: [] };
}

/** Adds the chunks from `recording.chunks` on. */
export function addChunks(recording: Recording, answer: Pick<TimingAnswer, 'first_ts' | 'bytes' | 'chunks'>): void {
  if (recording.chunks === 0) describe(recording, answer);
  const start = answer.first_ts === null ? 0 : Date.parse(answer.first_ts);
  let end = recording.ends.at(-1) ?? recording.header ?? 0;
  for (const { time_us, stream, byte_from, byte_to, cols = 0, rows = 0 } of answer.chunks) {
    const time = start + time_us / 1000;
    recording.chunks++;
    if (stream === null) recording.resizes.push({ time, offset: end, cols, rows });
    else if (byte_from === null || byte_to === null) continue;
    else if (stream === 'stdin') recording.inputs.push({ time, from: byte_from, to: byte_to });
    else {
      // The merged file holds the reads of both streams in sequence, so only their lengths count.
      end += byte_to - byte_from;
      recording.times.push(time);
      recording.ends.push(end);
    }
  }
}

function describe(recording: Recording, { bytes, chunks }: Pick<TimingAnswer, 'bytes' | 'chunks'>): void {
  const { pty, stdout, stderr } = bytes;
  recording.split = stdout !== undefined;
  if (pty === undefined) return;
  const first = chunks.find(({ stream }) => stream === 'pty');
  recording.header = recording.split ? pty - (stdout ?? 0) - (stderr ?? 0) : (first?.byte_from ?? pty);
}
