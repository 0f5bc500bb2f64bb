import { readProcessStat } from '../../files/index.ts';
import { membersOfGroup } from './foreground.ts';

/** Ctrl-Z. */
const SUSPEND = 0x1a;
/** A program restores the screen before it stops, which takes a moment. */
const PAUSES_MS = [20, 50, 100, 200, 400, 800];

export function holdsSuspendKey(bytes: Uint8Array): boolean {
  return bytes.includes(SUSPEND);
}

/**
 * Ctrl-Z in a program without a job control shell. The kernel ignores SIGTSTP there, but some programs (top) stop
 * themselves with SIGSTOP, and nothing would ever continue them: so we do. Jobs of a shell have their own groups and
 * stay stopped until `fg`.
 */
export async function continueSuspended(leader: number, isOver: () => boolean): Promise<void> {
  for (const ms of PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
    if (isOver()) return;
    const stopped = membersOfGroup(leader, leader).filter((pid) => readProcessStat(pid)?.state === 'T');
    for (const pid of stopped) tryContinue(pid);
  }
}

function tryContinue(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // Gone meanwhile, or not permitted.
  }
}
