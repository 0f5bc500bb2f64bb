import type { TimeScale } from '../timeline/time-axis.ts';
import { frameAt } from './frames.ts';
import type { Recording } from './recording.ts';

/** Width of one bar in pixels. */
export const BAR_WIDTH = 3;

/** Amount of output in each part of the screen, from 0 to 1; small amounts stay visible next to large ones. */
export function outputDensity(recordings: readonly Recording[], start: number, scale: TimeScale): number[] {
  const count = Math.ceil(scale.width / BAR_WIDTH);
  const bars = new Array<number>(count).fill(0);
  for (const recording of recordings) {
    const bytesAt = (x: number) => recording.ends[frameAt(recording, start + scale.time(x))] ?? recording.header ?? 0;
    let before = bytesAt(0);
    for (let index = 0; index < count; index++) {
      const after = bytesAt((index + 1) * BAR_WIDTH);
      bars[index]! += after - before;
      before = after;
    }
  }
  const most = Math.log1p(Math.max(...bars, 1));
  return bars.map((bytes) => Math.log1p(bytes) / most);
}
