/** A recording that can be shown from any moment on. Times are milliseconds of playing, from the first frame. */
export interface Film {
  /** When the next frame comes; null after the last one. */
  peek(): Promise<number | null>;
  /** Shows the next frame; false when there is nothing in it to see. */
  show(): Promise<boolean>;
  /** Shows everything as it was at this moment; the next frame is the first one after it. */
  seek(timeMs: number): Promise<void>;
  /** Time has passed without a new frame. */
  tick(timeMs: number): Promise<void>;
  /** A line about the playing itself, on a terminal. */
  status(line: string, state: { isPaused: boolean }): Promise<void>;
  /** All was shown. */
  finish(): Promise<void>;
  /** Nothing more is shown: takes the status away. */
  close(): Promise<void>;
}
