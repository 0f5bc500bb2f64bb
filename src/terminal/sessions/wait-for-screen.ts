import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedParams, ScreenText, StreamName } from '../../protocol/terminal/index.ts';
import type { PtySession } from './pty-session.ts';

type ScreenWait = Omit<CheckedParams<'session.screen'>, 'session_id'>;

/** Minimum interval between two reads of a busy screen. */
const POLL_INTERVAL_MS = 15;
const DRAWN_MS = 30;
const MAX_DRAW_MS = 300;

/**
 * Waits until the screen shows a text, or nothing was printed for a while, and returns it. A program draws its reaction
 * to a key some time after it received the key.
 */
export async function waitForScreen(
  session: PtySession,
  { wait_ms, wait_for, quiet_ms }: ScreenWait,
): Promise<ScreenText> {
  const deadline = performance.now() + wait_ms;
  const settled =
    wait_for === undefined
      ? await untilQuiet(session, quiet_ms, deadline)
      : await untilShown(session, wait_for, deadline);
  // While it is drawing, the text may already be there and the rest not yet.
  if (wait_for !== undefined && settled) {
    await untilQuiet(session, DRAWN_MS, Math.min(deadline, performance.now() + MAX_DRAW_MS));
  }
  const picture = await session.picture();
  return { ...picture, settled: settled && (wait_for === undefined || shows(picture, wait_for)) };
}

async function untilShown(session: PtySession, text: string, deadline: number): Promise<boolean> {
  for (;;) {
    const { closed } = session;
    const printed = printedBy(session);
    if (shows(await session.picture(), text)) return true;
    const left = deadline - performance.now();
    if (closed || left <= 0) return false;
    await printsMore(session, printed, left);
    await sleep(Math.min(left, POLL_INTERVAL_MS));
  }
}

function shows({ lines }: { lines: string[] }, text: string): boolean {
  return lines.some((line) => line.includes(text));
}

async function untilQuiet(session: PtySession, quietMs: number, deadline: number): Promise<boolean> {
  while (!session.closed) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    const more = await printsMore(session, printedBy(session), Math.min(left, quietMs));
    if (!more && left >= quietMs) return true;
  }
  return true;
}

function printedBy({ streams }: PtySession): [StreamName, number][] {
  return Object.entries(streams).map(([stream, { end }]) => [stream as StreamName, end]);
}

/** Waits for output beyond these cursors. It reads, so the session counts as in use. */
async function printsMore(session: PtySession, cursors: [StreamName, number][], waitMs: number): Promise<boolean> {
  const asked = { max_bytes: 1, wait_ms: Math.ceil(waitMs), encoding: 'base64' as const };
  const reads = cursors.map(async ([stream, after]) => {
    const { next, closed } = await session.read({ stream, after, ...asked });
    return next > after || closed;
  });
  return await Promise.race(reads);
}
