/** Longer than this, work before a fatal exit does not delay the exit. To seal a record takes seconds on a busy disk. */
const GRACE_MS = 15_000;

type Work = () => unknown;
type Report = (error: unknown) => void;

/** Done first, all at once; then those of the last moment, which must not wait for anything. */
const cleanups = { first: new Set<Work>(), last: new Set<Work>() };
let report: Report | null = null;
let failing = false;

/**
 * Registers work to do before the process exits because of an error that nothing caught: closing streams, ending
 * programs. Returns a function that takes it back. The work may fail, and may be cut off.
 */
export function beforeFatalExit(work: Work, { last = false }: { last?: boolean } = {}): () => void {
  const works = last ? cleanups.last : cleanups.first;
  works.add(work);
  return () => void works.delete(work);
}

/**
 * From now on an error that nothing caught is reported, registered work is done, and the process exits with code 1.
 * After such an error the state of the process is unknown, so it never continues. A later call changes the report.
 */
export function exitOnFatalError(newReport: Report): void {
  if (report === null) {
    process.on('uncaughtException', fail);
    process.on('unhandledRejection', fail);
  }
  report = newReport;
}

function fail(error: unknown): void {
  attempt(() => report?.(error));
  // Errors of the work itself come here as well; the exit is under way.
  if (failing) return;
  failing = true;
  setTimeout(exit, GRACE_MS);
  void Promise.allSettled([...cleanups.first].map(attempt)).then(exit);
}

function exit(): void {
  for (const work of cleanups.last) attempt(work);
  process.exit(1);
}

function attempt(work: Work): unknown {
  try {
    return work();
  } catch {
    return undefined; // It was worth a try.
  }
}
