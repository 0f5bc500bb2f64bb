import { once } from 'node:events';
import { parseDuration } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { findRun, type Moment, playback } from '../../recording/index.ts';
import type { ReplayOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { writeOut } from '../output/write-out.ts';
import { chooseAttempt } from './attempt-choice.ts';

/** What ends a replay early, with the exit code that says so. */
const STOPS: ReadonlyMap<NodeJS.Signals, number> = new Map([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]);

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
  const stop = (signal: NodeJS.Signals | Error) => {
    process.exitCode ??= (typeof signal === 'string' && STOPS.get(signal)) || 130;
    stopped = true;
    interrupt();
  };
  for (const signal of STOPS.keys()) process.once(signal, stop);
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
      if (!stopped) await writeOut(process.stdout, moment.bytes);
    }
  } finally {
    for (const signal of STOPS.keys()) process.off(signal, stop);
  }
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
