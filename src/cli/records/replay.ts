import { once } from 'node:events';
import { parseDuration } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { findRun, type Moment, playback } from '../../recording/index.ts';
import type { ReplayOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { chooseAttempt } from './attempt-choice.ts';

/** Modes a cut-off full-screen program may have left behind: style, hidden cursor, other screen, mouse, paste. */
const RESET_TERMINAL = '\x1b[0m\x1b[?25h\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l';

export async function replayRun(selector: string, options: ReplayOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const attempt = chooseAttempt(folder, options.attempt);
  const speed = Number(options.speed);
  if (!(speed > 0) || !Number.isFinite(speed))
    throw new TachoError('USAGE', `--speed ${options.speed}: give a number above 0`);
  const from = options.from === undefined ? 0 : parsePosition(options.from) * 1000;
  const idle = options.idle === undefined ? Number.POSITIVE_INFINITY : seconds('--idle', options.idle) * 1000;

  if (options.json) return await printMoments(playback(folder, attempt));

  let stopped = false;
  let interrupt = (): void => {};
  const stop = () => {
    stopped = true;
    interrupt();
  };
  process.once('SIGINT', stop);
  process.stdout.once('error', stop);
  // Waiting is counted on the playing clock, so that the time a slow terminal takes does not add up.
  let previous = from;
  let due = performance.now();
  try {
    for (const moment of playback(folder, attempt)) {
      if (stopped) break;
      if (moment.kind !== 'output') continue;
      const pause = Math.min(Math.max(0, moment.time - previous), idle) / 1000 / speed;
      previous = Math.max(previous, moment.time);
      due += pause;
      const wait = due - performance.now();
      if (wait > 1) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, wait);
          interrupt = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (!stopped && !process.stdout.write(moment.bytes)) await once(process.stdout, 'drain');
    }
  } finally {
    process.off('SIGINT', stop);
    if (process.stdout.isTTY) process.stdout.write(RESET_TERMINAL);
  }
  if (stopped) process.exitCode = 130;
}

/** The recording as data: one line a moment, without waiting. */
async function printMoments(moments: Iterable<Moment>): Promise<void> {
  for (const moment of moments) {
    const shown =
      moment.kind === 'resize' ? moment : { ...moment, bytes: undefined, base64: moment.bytes.toString('base64') };
    if (!process.stdout.write(`${JSON.stringify(shown)}\n`)) await once(process.stdout, 'drain');
  }
}

/** `1:20`, `1:02:03`, or a duration; milliseconds. */
function parsePosition(text: string): number {
  if (/^\d+(:[0-5]?\d){1,2}$/.test(text)) {
    return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  }
  return seconds('--from', text);
}

function seconds(flag: string, text: string): number {
  try {
    return parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
  } catch (cause) {
    throw new TachoError('USAGE', `${flag} ${text}: ${(cause as Error).message}`, {
      cause,
      fix: 'Examples: 1:20, 80s, 2s.',
    });
  }
}
