import { setTimeout as delay } from 'node:timers/promises';
import { TachoError, type TerminalView } from '../../protocol/index.ts';
import type { TerminalSession } from './terminal-session.ts';

const POLL_INTERVAL_MS = 1000;
/** Sealing waits until the recording is on disk and was read once. */
const SEAL_TIMEOUT_MS = 10_000;

/**
 * The final views of a session whose output has ended: the current one, and another when its record is sealed. `known`
 * returns the last known view.
 */
export async function* lastViews(session: TerminalSession, known: () => TerminalView): AsyncGenerator<TerminalView> {
  const deadline = performance.now() + SEAL_TIMEOUT_MS;
  for (let view = await readOnce(session, known); ; view = await readOnce(session, known)) {
    yield view;
    const isComplete = view.closed && view.recording?.sealed !== false;
    if (isComplete || performance.now() > deadline) return;
    await delay(POLL_INTERVAL_MS);
  }
}

async function readOnce(session: TerminalSession, known: () => TerminalView): Promise<TerminalView> {
  try {
    return await session.readView();
  } catch (error) {
    if (!(error instanceof TachoError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    // The session was ended and forgotten. `whenEnded` provides its final state if it was ended from here.
    await session.whenEnded();
    return { ...known(), state: 'terminated', closed: true };
  }
}
