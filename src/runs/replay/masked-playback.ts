import { hasBareLineFeeds, type Moment, playback, type RunFolder } from '../../recording/index.ts';
import { createRecordedMask } from './recorded-mask.ts';
import { readRedactions } from './replay-attempt.ts';

/** Plays an attempt without the secrets that were masked during recording. */
export function* maskedPlayback(folder: RunFolder, attempt: number): Generator<Moment> {
  const mask = createRecordedMask(readRedactions(folder, attempt));
  const isSplit = hasBareLineFeeds(folder, attempt);
  for (const moment of playback(folder, attempt)) {
    if (moment.kind === 'input') continue;
    if (moment.kind === 'resize') {
      yield moment;
      continue;
    }
    const stream = isSplit ? (moment.side === 'a' ? 'stdout' : 'stderr') : 'pty';
    for (const { bytes } of mask.push(stream, moment.bytes, moment.time)) yield { ...moment, bytes };
  }
}
