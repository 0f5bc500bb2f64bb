import type { TimingAnswer } from '../../../src/client/index.ts';
import type { StreamName } from './raw-ranges.ts';

/** Requests the chunks of an attempt, starting at one. */
type Chunks = (cursor: number) => Promise<TimingAnswer>;

/** When a byte was read, in milliseconds since the epoch; null if unknown. */
export async function timeOfByte({ stream }: StreamName, byte: number, chunks: Chunks): Promise<number | null> {
  let merged: number | null = null;
  for (let cursor: number | null = 0; cursor !== null; ) {
    const answer: TimingAnswer = await chunks(cursor);
    if (answer.first_ts === null) return null;
    merged ??= headerOf(answer);
    for (const chunk of answer.chunks) {
      if (chunk.stream === null || chunk.byte_from === null || chunk.byte_to === null) continue;
      if (chunk.stream !== 'stdin') merged += chunk.byte_to - chunk.byte_from;
      const end = chunk.stream === stream ? chunk.byte_to : stream === 'pty' && chunk.stream !== 'stdin' ? merged : 0;
      if (end > byte) return Date.parse(answer.first_ts) + chunk.time_us / 1000;
    }
    cursor = answer.next_cursor;
  }
  return null;
}

/** The merged log of split streams holds their reads in sequence, after a header line. */
function headerOf({ bytes }: TimingAnswer): number {
  return (bytes.pty ?? 0) - (bytes.stdout ?? 0) - (bytes.stderr ?? 0);
}
