import type { Film } from './film.ts';
import { statusLine } from './status-line.ts';

export type Command =
  | { do: 'pause' | 'step' | 'help' | 'redraw' }
  | { do: 'seek'; byMs: number }
  | { do: 'speed'; by: number }
  | { do: 'quit'; exitCode: number };

/** The person at the keyboard, and time. */
export interface Controls {
  now(): number;
  /** The next command that has come, if any. */
  take(): Command | null;
  /** Resolves after this long, or when a command comes. */
  wait(ms: number): Promise<void>;
}

export interface PlayOptions {
  speed: number;
  fromMs: number;
  /** How long the film is, where somebody can see and change how it is played. */
  lengthMs: number | null;
}

const TICK_MS = 100;
/** A timer is not more exact than this. */
const LEAST_WAIT_MS = 1;
const SLOWEST = 1 / 16;
const FASTEST = 64;

/** Plays a film to its end, or until somebody quits: then the exit code that says so. */
export async function play(film: Film, controls: Controls, options: PlayOptions): Promise<number | null> {
  const { lengthMs } = options;
  const last = lengthMs ?? Number.POSITIVE_INFINITY;
  let { speed } = options;
  let isPaused = false;
  let showsKeys = false;
  /** Where it was, and when: waiting is counted on the playing clock, so that a slow terminal adds no delay. */
  let anchor = { at: options.fromMs, when: controls.now() };

  function position(): number {
    if (isPaused || speed === Number.POSITIVE_INFINITY) return anchor.at;
    return Math.min(last, anchor.at + (controls.now() - anchor.when) * speed);
  }

  function hold(at = position()): void {
    anchor = { at, when: controls.now() };
  }

  async function showStatus(): Promise<void> {
    if (lengthMs === null) return;
    await film.status(statusLine({ positionMs: position(), lengthMs, speed, isPaused, showsKeys }), { isPaused });
  }

  async function seek(timeMs: number): Promise<void> {
    await film.seek(timeMs);
    hold(timeMs);
  }

  async function obey(command: Exclude<Command, { do: 'quit' }>): Promise<void> {
    hold();
    showsKeys = command.do === 'help' && !showsKeys;
    switch (command.do) {
      case 'pause':
        isPaused = !isPaused;
        break;
      case 'help':
        isPaused = true;
        break;
      case 'step': {
        isPaused = true;
        for (let next = await film.peek(); next !== null; next = await film.peek()) {
          hold(next);
          if (await film.show()) break;
        }
        break;
      }
      case 'seek':
        await seek(Math.max(0, Math.min(last, anchor.at + command.byMs)));
        break;
      case 'speed':
        speed = Math.min(FASTEST, Math.max(SLOWEST, speed * command.by));
        break;
      case 'redraw':
        await seek(anchor.at);
        break;
    }
    hold(anchor.at);
    await showStatus();
  }

  if (options.fromMs > 0) await seek(Math.min(last, options.fromMs));
  await showStatus();
  for (;;) {
    const command = controls.take();
    if (command?.do === 'quit') return command.exitCode;
    if (command) {
      await obey(command);
      continue;
    }
    const next = isPaused ? Number.POSITIVE_INFINITY : await film.peek();
    if (next === null) {
      await film.finish();
      return null;
    }
    const waitMs = speed === Number.POSITIVE_INFINITY && !isPaused ? 0 : (next - position()) / speed;
    if (waitMs <= LEAST_WAIT_MS) {
      if (speed === Number.POSITIVE_INFINITY) anchor.at = next;
      await film.show();
      continue;
    }
    if (!isPaused) await film.tick(position());
    await showStatus();
    await controls.wait(isPaused ? Number.POSITIVE_INFINITY : Math.min(waitMs, TICK_MS));
  }
}
