import type { Size } from './frames.ts';
import type { Keyframes } from './keyframes.ts';
import type { Recording } from './recording.ts';

/** All that is needed to play an attempt. */
export interface Tape {
  recording: Recording;
  /** The size it begins with. */
  size: Size;
  keyframes: Keyframes;
  /** Bytes of the merged file, as many as there are by now. */
  read(from: number, to: number): Promise<Uint8Array>;
}
