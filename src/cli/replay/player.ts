import type { Film } from './film.ts';
import { statusLine } from './status-line.ts';

export type Command =
  | { do: 'pause' | 'step' | 'help' | 'redraw' }
  | { do: 'seek'; byMs: number }
  | { do: 'speed'; by: number }
  | { do: 'quit'; exitCode: number };

/** Input of the viewer, and the clock. */
export interface Controls {
  now(): number;
  /** The next pending command, if any. */
  take(): Command | null;
  /** Resolves after this long, or on a command. */
  wait(ms: number): Promise<void>;
}

export interface PlayOptions {
  speed: number;
  fromMs: number;
  /** Length of the film; null without a viewer who can control it. */
  lengthMs: number | null;
}

const TICK_MS = 100;
/** The resolution of timers. */
const MIN_WAIT_MS = 1;
const MIN_SPEED = 1 / 16;
const MAX_SPEED = 64;

/** Plays a film to its end, or until the viewer quits; then returns the exit code for that. */
export async function play(film: Film, controls: Controls, options: PlayOptions): Promise<number | null> {
  const { lengthMs } = options;
  const last = lengthMs ?? Number.POSITIVE_INFINITY;
  let { speed } = options;
  let isPaused = false;
  let showsKeys = false;
  /** Position and clock at the last change. Waits are computed from it, so that a slow terminal adds no delay. */
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

  async function execute(command: Exclude<Command, { do: 'quit' }>): Promise<void> {
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
        speed = Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed * command.by));
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
      await execute(command);
      continue;
    }
    const next = isPaused ? Number.POSITIVE_INFINITY : await film.peek();
    if (next === null) {
      await film.finish();
      return null;
    }
    const waitMs = speed === Number.POSITIVE_INFINITY && !isPaused ? 0 : (next - position()) / speed;
    if (waitMs <= MIN_WAIT_MS) {
      if (speed === Number.POSITIVE_INFINITY) anchor.at = next;
      await film.show();
      continue;
    }
    if (!isPaused) await film.tick(position());
    await showStatus();
    await controls.wait(isPaused ? Number.POSITIVE_INFINITY : Math.min(waitMs, TICK_MS));
  }
}
