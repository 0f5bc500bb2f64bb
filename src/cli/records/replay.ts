import { once } from 'node:events';
import { parseDuration } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { hasConversation } from '../../protocol/run/has-conversation.ts';
import { findRun, type Moment, playback, readShownRecord } from '../../recording/index.ts';
import type { ReplayOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { LiveControls } from '../replay/controls.ts';
import { openBytes, openConversation } from '../replay/open-film.ts';
import { play } from '../replay/player.ts';
import { takeViewer } from '../replay/viewer.ts';
import { chooseAttempt } from './attempt-choice.ts';

/** Signals that end a replay early, with their exit codes. */
const STOPS: ReadonlyMap<NodeJS.Signals, number> = new Map([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]);

export async function replayRun(selector: string, options: ReplayOptions): Promise<void> {
  const { home, config } = openContext(options);
  const folder = findRun(home.runs, selector);
  const record = readShownRecord(folder);
  const speed = parseSpeed(options.speed);
  const fromMs = options.from === undefined ? 0 : parsePosition(options.from);
  const idleMs = options.idle === undefined ? Number.POSITIVE_INFINITY : milliseconds('--idle', options.idle);

  if (options.json) return await printMoments(playback(folder, chooseAttempt(folder, options.attempt)));

  const controls = new LiveControls();
  const stop = (signal: NodeJS.Signals | Error) =>
    controls.push({ do: 'quit', exitCode: (typeof signal === 'string' && STOPS.get(signal)) || 130 });
  for (const signal of STOPS.keys()) process.on(signal, stop);
  process.stdout.on('error', stop);
  const viewer = await takeViewer(controls);
  try {
    const { film, lengthMs, atMs } =
      !options.raw && hasConversation(record)
        ? await openConversation({ folder, record, config, attempt: options.attempt, viewer, idleMs, fromMs })
        : await openBytes({ folder, attempt: chooseAttempt(folder, options.attempt), viewer, idleMs, fromMs });
    const exitCode = await play(film, controls, { speed, fromMs: atMs, lengthMs });
    await film.close();
    viewer?.restore();
    if (exitCode === null) return;
    // Stopped in the middle: puts the shell prompt on a new line.
    if (viewer) process.stdout.write('\n');
    process.exitCode = exitCode;
  } finally {
    viewer?.restore();
    for (const signal of STOPS.keys()) process.off(signal, stop);
    process.stdout.off('error', stop);
  }
}

/** The recording as data: one line per moment, without delays. */
async function printMoments(moments: Iterable<Moment>): Promise<void> {
  for (const moment of moments) {
    const shown =
      moment.kind === 'resize' ? moment : { ...moment, bytes: undefined, base64: moment.bytes.toString('base64') };
    if (!process.stdout.write(`${JSON.stringify(shown)}\n`)) await once(process.stdout, 'drain');
  }
}

function parseSpeed(text: string): number {
  const speed = text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
  if (speed > 0 && (Number.isFinite(speed) || text === 'max')) return speed;
  throw new TachoError('USAGE', `--speed must be a number greater than 0, or max, got "${text}"`);
}

/** `1:20`, `1:02:03`, or a duration. */
function parsePosition(text: string): number {
  if (/^\d+(:[0-5]?\d){1,2}$/.test(text)) {
    return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  }
  return milliseconds('--from', text);
}

function milliseconds(flag: string, text: string): number {
  try {
    return parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
  } catch (cause) {
    throw new TachoError('USAGE', `${flag} ${text}: ${(cause as Error).message}`, {
      cause,
      fix: 'Examples: 1:20, 80s, 2s.',
    });
  }
}
