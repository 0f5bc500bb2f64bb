import type { Row } from './row.ts';
import { compareRecorders } from './support/compare-recorders.ts';
import { scriptWithFilteredStrace, scriptWithStrace } from './support/recorders.ts';

export const name = 'recording find';
export const goal = '≤ 1.05× a bare PTY';
export const about =
  '`find /usr`, a command that does many system calls of its own and prints about as much as a build: what recording ' +
  'costs a program that has other things to do. Peers: `script` with `strace`, and the same with the tracer’s ' +
  '`--seccomp-bpf`, which stops the program only at the calls that are asked for.';

export async function run(): Promise<Row[]> {
  return compareRecorders({
    what: 'find /usr',
    argv: ['find', '/usr'],
    bytes: null,
    limit: 1.05,
    rounds: 9,
    peers: [
      { recorder: scriptWithStrace(), rounds: 1 },
      { recorder: scriptWithFilteredStrace(), rounds: 3 },
    ],
  }).rows;
}
