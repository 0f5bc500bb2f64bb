import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { compareRecorders } from './support/compare-recorders.ts';
import { asciinema, nodePty, scriptWithStrace } from './support/recorders.ts';

export const name = 'recording small writes';
export const goal = '≤ 1.15× a bare PTY';
export const about =
  '`dd` copies a file of 220,000 lines to the terminal with one `write` of 20 bytes for each line. The bare PTY runs the ' +
  'same command on a pseudo-terminal with the same modes that a small Node program only empties; tacho records it at ' +
  'level `full` in `split` mode. *From start to last byte* is the time the command itself had to live with; *whole ' +
  'command* adds what comes before and after. Peers: `script` with `strace` inside, which tells the two streams apart; ' +
  '`asciinema rec`; and a minimal recorder on `node-pty`.';

const WRITES = 220_000;
const WRITE_BYTES = 20;

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const file = path.join(folder, 'lines.txt');
    const line = (n: number) => `${String(n).padStart(WRITE_BYTES - 1, '.')}\n`;
    fs.writeFileSync(file, Array.from({ length: WRITES }, (_, n) => line(n)).join(''));
    return compareRecorders({
      what: '220 k small writes',
      argv: ['dd', `if=${file}`, `bs=${WRITE_BYTES}`, 'status=none'],
      bytes: WRITES * WRITE_BYTES,
      limit: 1.15,
      rounds: 9,
      peers: [
        { recorder: scriptWithStrace(), rounds: 1 },
        { recorder: asciinema(), rounds: 3 },
        { recorder: nodePty(), rounds: 5 },
      ],
    }).rows;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
