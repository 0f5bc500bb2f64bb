import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { compareRecorders } from './support/compare-recorders.ts';
import { asciinema, nodePty, scriptWithStrace, tlog } from './support/recorders.ts';

export const name = 'recording cat';
export const goal = '≤ 1.3× a bare PTY, ≥ 40 MB/s with hashing';
export const about =
  '`cat` of 52 MB of random bytes, the fastest a program can print: each byte is read from the terminal, written to the ' +
  'stream’s file and to the merged log, hashed for the checkpoints, indexed by time and shown. The rate is that of the ' +
  'time from start to last byte. Peers as for small writes, and `tlog-rec` where it is installed.';

const BYTES = 52_000_000;
const PIECE_BYTES = 1_000_000;
const RATE = 40;

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const file = path.join(folder, 'random.bin');
    for (let at = 0; at < BYTES; at += PIECE_BYTES) fs.appendFileSync(file, randomBytes(PIECE_BYTES));
    const { rows, measured } = compareRecorders({
      what: 'cat of 52 MB',
      argv: ['cat', file],
      bytes: BYTES,
      limit: 1.3,
      rounds: 9,
      peers: [
        { recorder: scriptWithStrace(), rounds: 3 },
        { recorder: asciinema(), rounds: 3 },
        { recorder: nodePty(), rounds: 5 },
        { recorder: tlog(), rounds: 2 },
      ],
    });
    const [ours, bare] = [measured.ours.spanMs, measured.bare.spanMs].map((ms) => BYTES / 1000 / ms) as [
      number,
      number,
    ];
    const rate: Row = {
      what: 'cat of 52 MB: rate with hashing',
      ours: `${ours.toFixed(0)} MB/s`,
      peer: `${bare.toFixed(0)} MB/s`,
      peerName: 'bare PTY',
      ratio: ours / bare,
      goal: `≥ ${RATE} MB/s`,
      met: ours >= RATE,
    };
    return [rows[0]!, rate, ...rows.slice(1)];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
