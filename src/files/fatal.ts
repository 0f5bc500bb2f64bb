/** Longer than this, work before a fatal exit does not delay the exit. */
const GRACE_MS = 5000;

type Work = () => unknown;

const cleanups = new Set<Work>();
let failing = false;

/**
 * Registers work to do before the process exits because of an error that nothing caught: ending programs, closing
 * streams. Returns a function that takes it back. The work may fail, and may be cut off.
 */
export function beforeFatalExit(work: Work): () => void {
  cleanups.add(work);
  return () => void cleanups.delete(work);
}

/**
 * From now on an error that nothing caught is reported, registered work is done, and the process exits with code 1.
 * After such an error the state of the process is unknown, so it never continues.
 */
export function exitOnFatalError(report: (error: unknown) => void): void {
  const fail = (error: unknown): void => {
    attempt(() => report(error));
    // Errors of the work itself come here as well; the exit is under way.
    if (failing) return;
    failing = true;
    setTimeout(() => process.exit(1), GRACE_MS);
    void Promise.allSettled([...cleanups].map(attempt)).then(() => process.exit(1));
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}

function attempt(work: Work): unknown {
  try {
    return work();
  } catch {
    return undefined; // It was worth a try.
  }
}
