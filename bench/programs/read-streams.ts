import http from 'node:http';
import type { Reading, StreamReport } from '../support/stream-readers.ts';

/**
 * Reads one event stream with several readers; reports when all have ended, or on request. A separate process, so that
 * reading does not slow the measuring program.
 */
const { url, headers, readers, pace, count } = JSON.parse(process.argv[2]!) as Reading;
/** A slow reader takes one piece of at most 64 KiB in this many milliseconds. */
const SLOW_MS = 100;
const FRAME_END = Buffer.from('\n\n');
const ID = Buffer.from('id: ');

const all = await Promise.all(Array.from({ length: readers }, open));
process.send!('open');
process.on('message', (word) => {
  if (word === 'report') report();
  // Read the rest at full speed.
  if (word === 'hurry') for (const reader of all) reader.hurry();
});
await Promise.all(all.map(({ ended }) => ended));
process.send!('ended');

function report(): void {
  const figures: StreamReport = {
    readers: all.map(({ figures }) => figures),
    seconds:
      (Math.max(...all.map(({ times }) => times.last)) - Math.min(...all.map(({ times }) => times.first))) / 1000,
  };
  process.send!(figures, undefined, {}, () => process.exit(0));
}

async function open() {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  const figures = { events: 0, bytes: 0, lastId: 0, disorder: 0 };
  const times = { first: Number.POSITIVE_INFINITY, last: 0 };
  let hurried = false;
  let rest: Buffer = Buffer.alloc(0);
  response.on('data', (bytes: Buffer) => {
    times.last = performance.now();
    times.first = Math.min(times.first, times.last);
    figures.bytes += bytes.length;
    if (count) rest = countFrames(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]), figures);
    if (pace === 'slow' && !hurried) {
      response.pause();
      setTimeout(() => response.resume(), SLOW_MS);
    }
  });
  const ended = new Promise<void>((resolve) => {
    response.once('end', resolve);
    response.once('error', () => resolve());
  });
  // It is connected but reads nothing, so its socket buffer fills.
  if (pace === 'stalled') response.pause();
  const hurry = () => {
    hurried = true;
    response.resume();
  };
  return { figures, times, ended, hurry };
}

/** Frames without an id are about the stream itself. */
function countFrames(bytes: Buffer, figures: StreamReport['readers'][number]): Buffer {
  let from = 0;
  for (let end = bytes.indexOf(FRAME_END); end >= 0; end = bytes.indexOf(FRAME_END, from)) {
    const at = bytes.indexOf(ID, from);
    if (at >= 0 && at < end) {
      let id = 0;
      for (let digit = at + ID.length; bytes[digit]! >= 0x30 && bytes[digit]! <= 0x39; digit++) {
        id = id * 10 + bytes[digit]! - 0x30;
      }
      figures.events++;
      if (id <= figures.lastId) figures.disorder++;
      figures.lastId = id;
    }
    from = end + FRAME_END.length;
  }
  return bytes.subarray(from);
}
