export interface PlayState {
  positionMs: number;
  lengthMs: number;
  speed: number;
  isPaused: boolean;
  showsKeys: boolean;
}

const KEYS = 'space pause  left/right seek 5 s  up/down speed  . step  q quit';

/** `playing  0:12 / 1:40  2x  ? keys`, in ASCII. */
export function statusLine({ positionMs, lengthMs, speed, isPaused, showsKeys }: PlayState): string {
  if (showsKeys) return KEYS;
  const state = isPaused ? 'paused ' : 'playing';
  const factor = speed === Number.POSITIVE_INFINITY ? 'max' : `${speed}x`;
  return `${state}  ${clock(positionMs)} / ${clock(lengthMs)}  ${factor}  ? keys`;
}

/** 0:07, 12:30, 1:02:03 */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
