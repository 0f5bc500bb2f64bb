import type { Moment } from '../../recording/index.ts';
import type { OpenScreen } from '../../terminal/index.ts';

type Screen = ReturnType<OpenScreen>;

interface Keyframe {
  moments: number;
  cols: number;
  rows: number;
  /** Draws the screen on an empty terminal of that size. */
  drawn: string;
}

interface Position {
  source: Iterator<Moment>;
  screen: Screen;
  moments: number;
  cols: number;
  rows: number;
}

export interface ScreensOptions {
  open(): Iterable<Moment>;
  openScreen: OpenScreen;
  cols: number;
  rows: number;
  bareLineFeeds: boolean;
}

/** Distance between keyframes, short enough to draw without a noticeable delay. */
const KEYFRAME_BYTES = 256 * 1024;
/** Above this, every second keyframe is dropped; it can be rebuilt from the bytes. */
const MAX_KEYFRAMES = 128;

/** The screen of a recording at any moment, computed from the nearest keyframe before it. */
export function createScreens({ open, openScreen, cols, rows, bareLineFeeds }: ScreensOptions) {
  let keyframes: Keyframe[] = [];
  let position: Position | null = null;
  let bytes = 0;

  function startFrom(moments: number): Position {
    close();
    const from = keyframes.findLast((keyframe) => keyframe.moments <= moments);
    const size = { cols: from?.cols ?? cols, rows: from?.rows ?? rows };
    const screen = openScreen({ ...size, bareLineFeeds });
    if (from) screen.write(Buffer.from(from.drawn));
    const source = open()[Symbol.iterator]();
    for (let skipped = 0; skipped < (from?.moments ?? 0); skipped++) source.next();
    bytes = 0;
    return { source, screen, moments: from?.moments ?? 0, ...size };
  }

  async function addKeyframe({ screen, moments, cols, rows }: Position): Promise<void> {
    bytes = 0;
    const drawn = await screen.snapshot();
    if ((keyframes.at(-1)?.moments ?? 0) < moments) keyframes.push({ moments, cols, rows, drawn });
    if (keyframes.length > MAX_KEYFRAMES) keyframes = keyframes.filter((_, index) => index % 2 === 1);
  }

  function close(): void {
    position?.source.return?.();
    position?.screen.dispose();
    position = null;
  }

  return {
    /** Bytes that draw the screen after the given number of moments on an empty terminal. */
    async after(moments: number): Promise<string> {
      if (position === null || position.moments > moments) position = startFrom(moments);
      const now = position;
      while (now.moments < moments) {
        const { value: moment, done } = now.source.next();
        if (done) break;
        now.moments++;
        if (moment.kind === 'resize') {
          now.cols = moment.cols;
          now.rows = moment.rows;
          now.screen.resize(moment.cols, moment.rows);
        } else if (moment.kind === 'output') {
          now.screen.write(moment.bytes);
          bytes += moment.bytes.length;
          // The emulator drops input that arrives faster than it can draw, so wait for it.
          if (bytes >= KEYFRAME_BYTES) await addKeyframe(now);
        }
      }
      return await now.screen.snapshot();
    },
    close,
  };
}

export type Screens = ReturnType<typeof createScreens>;
