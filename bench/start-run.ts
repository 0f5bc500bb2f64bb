import type { Row } from './row.ts';
import { milliseconds } from './support/figures.ts';
import { tacho, timeInTurns } from './support/time-in-turns.ts';

export const name = 'shortest run';
export const goal = '≤ 2× node -e 0 + 40 ms';
export const about =
  '`tacho run -- true`: what a whole record of nothing costs, with its snapshots, journal, seal and all of it safe on disk. ' +
  'The goal is twice the time of `node -e 0`, the least a program on Node takes, and 40 ms for the record. For information, ' +
  'the same without the cache of compiled code, as at the first start after an update, and against `script -qc true`, ' +
  'a C program that writes two lines; and `tacho verify` of that record, for the commands that read.';

const ROUNDS = 30;
const RECORD_MS = 40;

export async function run(): Promise<Row[]> {
  const node = process.execPath;
  const record = [node, tacho, 'run', '--', 'true'];
  const taken = timeInTurns(
    {
      bare: [node, '-e', '0'],
      record,
      verify: [node, tacho, 'verify', 'last'],
      uncached: ['env', 'NODE_DISABLE_COMPILE_CACHE=1', ...record],
      script: ['script', '-qc', 'true', '/dev/null'],
    },
    ROUNDS,
  );
  const row = (what: string, ours: number, peerName: string, peer: number): Row => ({
    what,
    ours: milliseconds(ours),
    peer: milliseconds(peer),
    peerName,
    ratio: ours / peer,
    goal: '–',
    met: null,
    note: `medians of ${ROUNDS}, Node ${process.version}`,
  });
  const limit = 2 * taken.bare + RECORD_MS;
  return [
    {
      ...row('tacho run -- true', taken.record, 'node -e 0', taken.bare),
      goal: `≤ 2× + ${RECORD_MS} ms (${milliseconds(limit)})`,
      met: taken.record <= limit,
    },
    row('tacho run -- true, code not cached', taken.uncached, 'node -e 0', taken.bare),
    row('tacho run -- true', taken.record, 'script -qc true', taken.script),
    row('tacho verify last', taken.verify, 'node -e 0', taken.bare),
  ];
}
