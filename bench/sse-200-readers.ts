import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { buildProgram } from './support/build-program.ts';
import { agentFolder } from './support/event-flood.ts';
import { median } from './support/figures.ts';
import { openReaders, type Reading } from './support/stream-readers.ts';
import { end, firstLine, startTacho } from './support/tacho-server.ts';

export const name = 'SSE to 200 readers';
export const goal = '≥ 0.9× raw node:http';
export const about =
  'A run of 5,000 events, read from its beginning to its end by 200 readers at once: events a second that all of them have got. Peer: ' +
  'a server that has the very same frames in memory and does nothing but write them with `node:http`, waiting for readers that are ' +
  'behind: once in pieces of 64 KiB, as ours, which is the most this machine can do, and for comparison a frame at a time.';

const EVENTS = 5000;
const READERS = 200;
const ROUNDS = 5;
const MIN_RATIO = 0.9;
const PIECE_BYTES = 64 * 1024;

export async function run(): Promise<Row[]> {
  const folder = agentFolder(EVENTS);
  const tacho = await startTacho({ searchPath: folder });
  try {
    const url = `${tacho.url}/v1/runs/${await tacho.startRun('codex')}/events/stream`;
    const stream = { url, headers: tacho.headers };
    const readAll = async () => Buffer.from(await (await fetch(url, { headers: tacho.headers })).arrayBuffer());
    // The first read ends with the run; the second gets the same stream as all later ones.
    await readAll();
    const frames = await readAll();
    const file = path.join(folder, 'frames');
    fs.writeFileSync(file, frames);
    const taken = { ours: [] as number[], pieces: [] as number[], single: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      taken.ours.push(await readFrom(stream, frames.length, async () => {}));
      taken.pieces.push(await readRaw(file, PIECE_BYTES, frames.length));
      taken.single.push(await readRaw(file, 0, frames.length));
    }
    const rate = (seconds: readonly number[]) => EVENTS / median(seconds);
    const row = (peerName: string, peer: number): Row => ({
      what: `events to each of ${READERS} readers`,
      ours: `${rate(taken.ours).toFixed(0)} events/s`,
      peer: `${peer.toFixed(0)} events/s`,
      peerName,
      ratio: rate(taken.ours) / peer,
      goal: '–',
      met: null,
    });
    const best = row('raw node:http, 64 KiB at a time', rate(taken.pieces));
    const note = `medians of ${ROUNDS}; all readers got every byte`;
    return [
      { ...best, goal: `≥ ${MIN_RATIO}×`, met: best.ratio! >= MIN_RATIO, note },
      row('raw node:http, an event at a time', rate(taken.single)),
    ];
  } finally {
    await tacho.stop();
    fs.rmSync(folder, { recursive: true });
  }
}

async function readRaw(file: string, piece: number, bytes: number): Promise<number> {
  const program = buildProgram(new URL('./programs/raw-sse-server.ts', import.meta.url));
  const server = spawn(process.execPath, [program, file, String(piece)], {
    cwd: os.tmpdir(),
    stdio: ['ignore', 'pipe', 2],
  });
  try {
    const url = await firstLine(server);
    return await readFrom({ url, headers: {} }, bytes, () => fetch(`${url}/begin`));
  } finally {
    await end(server);
  }
}

/** Seconds from the first byte of any reader to the last. */
async function readFrom(
  stream: Pick<Reading, 'url' | 'headers'>,
  bytes: number,
  begin: () => Promise<unknown>,
): Promise<number> {
  const readers = await openReaders({ ...stream, readers: READERS, pace: 'full', count: false });
  await begin();
  await readers.ended;
  const report = await readers.report();
  for (const got of report.readers)
    if (got.bytes !== bytes) throw new Error(`a reader got ${got.bytes} of ${bytes} bytes`);
  return report.seconds;
}
