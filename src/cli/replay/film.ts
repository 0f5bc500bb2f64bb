/** A recording that can be shown from any moment. Times are milliseconds of playback, from the first frame. */
export interface Film {
  /** Time of the next frame; null after the last. */
  peek(): Promise<number | null>;
  /** Shows the next frame; false when it has no visible content. */
  show(): Promise<boolean>;
  /** Shows the state at this time; the next frame is the first one after it. */
  seek(timeMs: number): Promise<void>;
  /** Time has passed without a new frame. */
  tick(timeMs: number): Promise<void>;
  /** Shows a status line on a terminal. */
  status(line: string, state: { isPaused: boolean }): Promise<void>;
  /** Called after the last frame. */
  finish(): Promise<void>;
  /** Removes the status; nothing is shown afterwards. */
  close(): Promise<void>;
}
