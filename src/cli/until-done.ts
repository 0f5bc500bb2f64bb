/** What Node itself exits with when a program has nothing left to wait for and is not done. */
const NEVER_DONE = 13;

/** Stands for an `await` at the top of a CommonJS file, which has none. */
export function untilDone(work: Promise<void>): void {
  let done = false;
  void work.then(() => {
    done = true;
  });
  process.once('beforeExit', () => {
    if (!done) process.exitCode = NEVER_DONE;
  });
}
