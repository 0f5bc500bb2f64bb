import type { Moment } from '../../recording/index.ts';
import type { OpenScreen } from '../../terminal/index.ts';

type Screen = ReturnType<OpenScreen>;

interface Keyframe {
  moments: number;
  cols: number;
  rows: number;
  /** What draws it on an empty terminal of that size. */
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

/** Distance between keyframes: the bytes between two are drawn without a noticeable delay. */
const KEYFRAME_BYTES = 256 * 1024;
/** Beyond it every second one goes; it can be made again from the bytes. */
const MAX_KEYFRAMES = 128;

/** The screen of a recording at any of its moments, found from the nearest one before it that is known. */
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
    /** The bytes that draw the screen after the given number of moments on an empty terminal. */
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
          // The emulator skips what it is given faster than it can draw, so it is waited for.
          if (bytes >= KEYFRAME_BYTES) await addKeyframe(now);
        }
      }
      return await now.screen.snapshot();
    },
    close,
  };
}

export type Screens = ReturnType<typeof createScreens>;
