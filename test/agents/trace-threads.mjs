// Eight threads concurrently write 200 lines each, even ones to stderr, odd ones to stdout.
import fs from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const THREADS = 8;
const LINES = 200;

if (isMainThread) {
  const start = new Int32Array(new SharedArrayBuffer(4));
  for (let thread = 0; thread < THREADS; thread++) {
    new Worker(new URL(import.meta.url), { workerData: { thread, start } });
  }
} else {
  const { thread, start } = workerData;
  // No thread writes before all have started.
  if (Atomics.add(start, 0, 1) + 1 === THREADS) Atomics.notify(start, 0);
  for (let seen = Atomics.load(start, 0); seen < THREADS; seen = Atomics.load(start, 0))
    Atomics.wait(start, 0, seen, 50);
  for (let line = 0; line < LINES; line++) {
    fs.writeSync(thread % 2 === 0 ? 2 : 1, `${JSON.stringify([thread, line])}\n`);
  }
}
