import { lengthOf } from '../../src/record/index.ts';
import { activityAround, neighbourFrame } from '../model/activity.ts';
import { IDLE_MS } from '../model/timeline/time-axis.ts';
import { type Mark, marksOf, neighbourMark } from '../model/timeline/timeline-marks.ts';
import type { RunSession } from './run-session.ts';
import { Store } from './store.ts';

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8];

interface PlaybackState {
  playing: boolean;
  speed: number;
  skipIdle: boolean;
  /** How much idle time was just skipped, in milliseconds; null again after a moment. */
  skipped: number | null;
}

const SPEED_KEY = 'tacho.speed';
const SKIP_KEY = 'tacho.skip-idle';
/** What remains of a skipped idle span, before and after. */
const EDGE_MS = 500;
const CHIP_MS = 2500;
/** How long each mark is shown with reduced motion. */
const MARK_MS = 1000;

/** Moves the playhead. It only changes the view, which everything that depends on time watches. */
export class Playback {
  readonly state = new Store<PlaybackState>({
    playing: false,
    speed: SPEEDS.find((speed) => String(speed) === localStorage.getItem(SPEED_KEY)) ?? 1,
    skipIdle: localStorage.getItem(SKIP_KEY) !== 'off',
    skipped: null,
  });
  readonly #session: RunSession;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #chip: ReturnType<typeof setTimeout> | null = null;
  #marks: { of: number; marks: Mark[] } = { of: -1, marks: [] };

  constructor(session: RunSession) {
    this.#session = session;
  }

  close(): void {
    this.pause();
    if (this.#chip !== null) clearTimeout(this.#chip);
  }

  /** All marks; recomputed only for new events. */
  get marks(): readonly Mark[] {
    const { model } = this.#session;
    if (this.#marks.of !== model.events.length) this.#marks = { of: model.events.length, marks: marksOf(model) };
    return this.#marks.marks;
  }

  toggle(): void {
    if (this.state.get().playing) this.pause();
    else this.play();
  }

  /** From the playhead; from the beginning if it is at the end. */
  play(): void {
    const { model, time, isLive } = this.#session;
    if (model.events.length === 0 || this.state.get().playing) return;
    if (!isLive && time >= lengthOf(model) - 1) this.#put(0);
    this.state.update({ playing: true });
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.#playMarks();
    else this.#playFrom(performance.now());
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.state.update({ playing: false });
  }

  /** The user moved the playhead: playing continues from there. */
  moveTo(time: number): void {
    this.#put(time);
  }

  moveBy(ms: number): void {
    this.#put(this.#session.time + ms);
  }

  toShare(share: number): void {
    this.#put(share * lengthOf(this.#session.model));
  }

  stepFrame(direction: 'before' | 'after'): void {
    const { model, recordings, time } = this.#session;
    this.pause();
    const frame = neighbourFrame(model, recordings.all(), time, direction);
    if (frame !== null) this.#put(frame);
  }

  stepMark(direction: 'before' | 'after'): void {
    const mark = neighbourMark(this.marks, this.#session.time, direction);
    if (mark) this.#session.view.change({ ...this.#at(mark.from), selection: { kind: 'event', seq: mark.seq } });
  }

  changeSpeed(direction: -1 | 1): void {
    const index = SPEEDS.indexOf(this.state.get().speed);
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + direction))]!);
  }

  setSpeed(speed: number): void {
    localStorage.setItem(SPEED_KEY, String(speed));
    this.state.update({ speed });
  }

  setSkipIdle(skipIdle: boolean): void {
    localStorage.setItem(SKIP_KEY, skipIdle ? 'on' : 'off');
    this.state.update({ skipIdle });
  }

  returnToLive(): void {
    this.pause();
    this.#session.view.change({ following: true, time: null, attempt: null });
  }

  #playFrom(before: number): void {
    this.#frame = requestAnimationFrame((now) => {
      const { time } = this.#session;
      const { speed, skipIdle } = this.state.get();
      const next = time + (now - before) * speed;
      const skipped = skipIdle ? this.#beyondSilence(time) : null;
      if (skipped !== null) this.#tellSkipped(skipped - time);
      if (this.#put(skipped ?? next)) this.#playFrom(now);
      else this.#end();
    });
  }

  #playMarks(): void {
    const delay = MARK_MS / this.state.get().speed;
    this.#timer = setTimeout(() => {
      const mark = neighbourMark(this.marks, this.#session.time, 'after');
      if (this.#put(mark?.from ?? Number.POSITIVE_INFINITY)) this.#playMarks();
      else this.#end();
    }, delay);
  }

  /** Where playing continues after the idle span at the playhead; null if there is none. */
  #beyondSilence(time: number): number | null {
    const { model, recordings } = this.#session;
    const { last, next } = activityAround(model, recordings.all(), time);
    if (next === null || next - last <= IDLE_MS || time - last < EDGE_MS || next - time <= EDGE_MS) return null;
    return next - EDGE_MS;
  }

  #tellSkipped(ms: number): void {
    this.state.update({ skipped: ms });
    if (this.#chip !== null) clearTimeout(this.#chip);
    this.#chip = setTimeout(() => this.state.update({ skipped: null }), CHIP_MS);
  }

  /** Reaching the end of a live run returns to live. */
  #end(): void {
    if (this.#session.isLive) this.returnToLive();
    else this.pause();
  }

  /** False at the end. */
  #put(time: number): boolean {
    this.#session.view.change(this.#at(time), 'replace');
    return time < lengthOf(this.#session.model);
  }

  #at(wanted: number) {
    const { model, view } = this.#session;
    const time = Math.max(0, Math.min(wanted, lengthOf(model)));
    // Moving from one selected attempt into another selects that one.
    const inside = model.attempts.findLast(({ from }) => from - (model.start ?? 0) <= time);
    const attempt = view.get().attempt === null ? null : (inside?.number ?? null);
    return { time, attempt, following: false };
  }
}
