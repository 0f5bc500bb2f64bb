/** Node's own exit code for a program that still awaits something but has nothing to wait for. */
const NEVER_DONE = 13;

/** Replaces a top-level `await`, which CommonJS lacks. */
export function untilDone(work: Promise<void>): void {
  let done = false;
  void work.then(() => {
    done = true;
  });
  process.once('beforeExit', () => {
    if (!done) process.exitCode = NEVER_DONE;
  });
}
