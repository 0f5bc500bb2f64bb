import type { Row } from './row.ts';
import { milliseconds } from './support/figures.ts';
import { tacho, timeInTurns } from './support/time-in-turns.ts';

export const name = 'start of the command';
export const goal = '≤ 1.15× node -e 0';
export const about =
  '`tacho --version` against `node -e 0`, which is the least a program on Node takes. For information, `tacho --help`, ' +
  'which loads every command’s description but none of their work.';

const ROUNDS = 30;
const LIMIT = 1.15;

export async function run(): Promise<Row[]> {
  const node = process.execPath;
  const taken = timeInTurns(
    { bare: [node, '-e', '0'], version: [node, tacho, '--version'], help: [node, tacho, '--help'] },
    ROUNDS,
  );
  const row = (what: string, ours: number): Row => ({
    what,
    ours: milliseconds(ours),
    peer: milliseconds(taken.bare),
    peerName: 'node -e 0',
    ratio: ours / taken.bare,
    goal: '–',
    met: null,
    note: `medians of ${ROUNDS}, Node ${process.version}`,
  });
  const version = row('tacho --version', taken.version);
  return [{ ...version, goal: `≤ ${LIMIT}×`, met: version.ratio! <= LIMIT }, row('tacho --help', taken.help)];
}
