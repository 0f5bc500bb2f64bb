import type { Row } from './row.ts';
import { installCodex, startCodexExecServer } from './support/codex-exec-server.ts';
import { bareSpawn, startRuntime, type TakeBytes } from './support/command-runners.ts';
import { execRows } from './support/exec-rows.ts';
import { quantile, tenths } from './support/figures.ts';
import { inTurn } from './support/in-turn.ts';

export const name = 'exec over the socket, first byte';
export const goal = 'p50 ≤ 10 ms';
export const about =
  'From the call of `exec.stream` until the caller has the first byte of `echo x`, through the daemon of a workspace: as a program in a ' +
  'separate session, and as a command in a shell session. Peers: `codex exec-server`, the native program of the npm package, over its ' +
  'stdin and stdout, where a command for a shell is `bash -c`, as it keeps no shell; and a bare `spawn`, in the calling process, of what ' +
  'that peer runs: what starting a program takes on this machine.';

const ROUNDS = { rounds: 200, warmUp: 20 };
const LIMIT_MS = 10;
const PROGRAM = ['echo', 'x'];
const SHELL = ['bash', '-c', 'echo x'];

export async function run(): Promise<Row[]> {
  const installed = installCodex();
  const codex = installed.folder === null ? null : await startCodexExecServer(installed.folder);
  const tacho = await startRuntime();
  try {
    const taken = await inTurn(
      {
        program: () => firstByte((take) => tacho.run(PROGRAM, take)),
        codexProgram: codex && (() => firstByte((take) => codex.run(PROGRAM, take))),
        bareProgram: () => firstByte((take) => bareSpawn.run(PROGRAM, take)),
        shell: () => firstByte((take) => tacho.runInShell('echo x', take)),
        codexShell: codex && (() => firstByte((take) => codex.run(SHELL, take))),
        bareShell: () => firstByte((take) => bareSpawn.run(SHELL, take)),
      },
      ROUNDS,
    );
    const slowest = (taken: number[]) => (taken.length === 0 ? '–' : tenths(quantile(taken, 0.99)));
    const rows = (what: string, ours: number[], codex: number[], bare: number[]): Row[] =>
      execRows({
        what: `first byte of ${what}, p50 of ${ROUNDS.rounds}`,
        taken: { ours, codex, bare },
        bareName: 'bare spawn',
        figure: (taken) => quantile(taken, 0.5),
        text: tenths,
        goal: `≤ ${LIMIT_MS} ms`,
        met: (ms) => ms <= LIMIT_MS,
        note: `p99: ours ${slowest(ours)}, codex ${slowest(codex)}, bare spawn ${slowest(bare)}`,
        problem: installed.problem,
      });
    return [
      ...rows('a program', taken.program, taken.codexProgram, taken.bareProgram),
      ...rows('a command in a shell session', taken.shell, taken.codexShell, taken.bareShell),
    ];
  } finally {
    await tacho.stop();
    await codex?.stop();
  }
}

/** In milliseconds. */
async function firstByte(run: (take: TakeBytes) => Promise<void>): Promise<number> {
  const begun = performance.now();
  let taken: number | null = null;
  await run(() => {
    taken ??= performance.now() - begun;
  });
  if (taken === null) throw new Error('nothing was printed');
  return taken;
}
