import { setTimeout as delay } from 'node:timers/promises';
import { TachoError, type TerminalView } from '../../protocol/index.ts';
import type { TerminalSession } from './terminal-session.ts';

const EVERY_MS = 1000;
/** A recording is sealed when all of it is on disk and was read once. */
const SEALING_MS = 10_000;

/**
 * A session whose output has ended: how it is now, and again when its record is sealed too. `known` is what is known of
 * it here.
 */
export async function* lastViews(session: TerminalSession, known: () => TerminalView): AsyncGenerator<TerminalView> {
  const deadline = performance.now() + SEALING_MS;
  for (let view = await lookOnce(session, known); ; view = await lookOnce(session, known)) {
    yield view;
    const isWhole = view.closed && view.recording?.sealed !== false;
    if (isWhole || performance.now() > deadline) return;
    await delay(EVERY_MS);
  }
}

async function lookOnce(session: TerminalSession, known: () => TerminalView): Promise<TerminalView> {
  try {
    return await session.look();
  } catch (error) {
    if (!(error instanceof TachoError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    // Somebody ended it, and it is forgotten already; how it ended is known when that was done from here.
    await session.whenEnded();
    return { ...known(), state: 'terminated', closed: true };
  }
}
