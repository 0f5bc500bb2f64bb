import type { Size } from './frames.ts';
import type { Keyframes } from './keyframes.ts';
import type { Recording } from './recording.ts';

/** Everything needed to play an attempt. */
export interface Tape {
  recording: Recording;
  /** The initial size. */
  size: Size;
  keyframes: Keyframes;
  /** Bytes of the merged file, as far as available. */
  read(from: number, to: number): Promise<Uint8Array>;
}
