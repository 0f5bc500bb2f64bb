// Eight threads, even ones on stdout and odd ones on stderr, each line one write(2).
import fs from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

if (isMainThread)
  for (let thread = 0; thread < 8; thread++) new Worker(new URL(import.meta.url), { workerData: thread });
else
  for (let line = 0; line < 200; line++)
    fs.writeSync(workerData % 2 === 0 ? 1 : 2, `thread ${workerData} line ${line}\n`);
