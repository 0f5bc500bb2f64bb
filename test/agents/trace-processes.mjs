// Several processes concurrently write lines with their own pid to both streams.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROCESSES = 4;
const LINES = 100;

if (process.argv[2] === 'child') {
  for (let line = 0; line < LINES; line++) {
    const filler = '.'.repeat((line * 7) % 40);
    fs.writeSync(1 + (line % 2), `${JSON.stringify({ pid: process.pid, line, filler })}\n`);
  }
} else {
  for (let child = 0; child < PROCESSES; child++) {
    spawn(process.execPath, [fileURLToPath(import.meta.url), 'child'], { stdio: 'inherit' });
  }
}
