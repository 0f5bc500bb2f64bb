import type { Config } from '../../config/index.ts';
import type { RunRecord } from '../../protocol/index.ts';
import { hasBareLineFeeds, playback, type RunFolder, readPtyHeader } from '../../recording/index.ts';
import { withCarriageReturns } from '../output/carriage-returns.ts';
import { chooseAttempt } from '../records/attempt-choice.ts';
import { readConversation, summaryOf, withTimes } from '../records/recorded-chat.ts';
import { createBytesFilm } from './bytes-film.ts';
import { createChatFilm } from './chat-film.ts';
import type { Film } from './film.ts';
import { createScreens } from './screens.ts';
import { openBytesStage, openChatStage, plainStage } from './stages.ts';
import { createTimeline, type Frame, measure } from './timeline.ts';
import type { Viewer } from './viewer.ts';

interface Wanted {
  folder: RunFolder;
  viewer: Viewer | null;
  idleMs: number;
  /** Recorded time. */
  fromMs: number;
}

interface OpenedFilm {
  film: Film;
  /** Null without controls for playback. */
  lengthMs: number | null;
  /** Start position, in playback time. */
  atMs: number;
}

const MAX_SIZE = 500;
const USUAL_SIZE = { cols: 80, rows: 24 };

export async function openConversation(
  wanted: Wanted & { record: RunRecord; config: Config; attempt: string | undefined },
): Promise<OpenedFilm> {
  const { folder, record, config, viewer, idleMs } = wanted;
  const attempt = wanted.attempt === undefined ? undefined : chooseAttempt(folder, wanted.attempt);
  const open = () => withTimes(readConversation(folder, config, { attempt }), idleMs);
  const times = await timesOf(wanted, open);
  const stage = viewer ? await openChatStage(viewer.own) : plainStage;
  return { film: createChatFilm({ open, stage, summary: summaryOf(record) }), ...times };
}

export async function openBytes(wanted: Wanted & { attempt: number }): Promise<OpenedFilm> {
  const { folder, attempt, viewer, idleMs } = wanted;
  const open = () => playback(folder, attempt);
  const times = await timesOf(wanted, () => outputTimes(folder, attempt, idleMs));
  if (!viewer) return { film: createBytesFilm(open, plainStage, idleMs), ...times };
  const bareLineFeeds = hasBareLineFeeds(folder, attempt);
  const { openScreen } = await import('../../runtime/open-screen.ts');
  const screens = createScreens({ open, openScreen, bareLineFeeds, ...sizeOf(folder, attempt) });
  const stage = openBytesStage(viewer.own, screens, bareLineFeeds ? withCarriageReturns : (bytes) => bytes);
  return { film: createBytesFilm(open, stage, idleMs), ...times };
}

/** Reads the whole recording, where its times are needed before playback. */
async function timesOf(
  { viewer, idleMs, fromMs }: Wanted,
  open: () => AsyncIterable<Frame> | Iterable<Frame>,
): Promise<{ lengthMs: number | null; atMs: number }> {
  if (!viewer && (fromMs === 0 || idleMs === Number.POSITIVE_INFINITY)) return { lengthMs: null, atMs: fromMs };
  const { lengthMs, atMs } = await measure(open(), fromMs);
  return { lengthMs: viewer ? lengthMs : null, atMs };
}

function* outputTimes(folder: RunFolder, attempt: number, idleMs: number): Generator<Frame> {
  const timeline = createTimeline(idleMs);
  for (const { kind, time } of playback(folder, attempt)) {
    if (kind === 'output') yield { recordedMs: time / 1000, timeMs: timeline.at(time / 1000) };
  }
}

/** Limits the size, since the header may be damaged or forged. */
function sizeOf(folder: RunFolder, attempt: number): { cols: number; rows: number } {
  const header = readPtyHeader(folder, attempt);
  const isSane = header && [header.cols, header.rows].every((size) => size > 0 && size <= MAX_SIZE);
  return isSane ? { cols: header.cols, rows: header.rows } : USUAL_SIZE;
}
