import type { TimeWindow } from './view.ts';

export function inWindow(window: TimeWindow | null, time: number): boolean {
  return window === null || (time >= window.from && time <= window.to);
}

/** `2:14`, `1:02:14`, and with tenths `2:14.3`. */
export function clock(ms: number, { tenths = false } = {}): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  const text = hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  return tenths ? `${text}.${Math.floor((Math.max(0, ms) % 1000) / 100)}` : text;
}

/** `12 ms`, `1.2 s`, `2 min 14 s`, `1 h 2 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1000) % 60} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor(ms / 60_000) % 60} min`;
}
