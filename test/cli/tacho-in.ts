import { command, startTacho } from '../acceptance/runtime/daemon.ts';
import { type Finished, finished } from '../support/tacho.ts';
import { tachoHere } from '../support/tacho-here.ts';
import { type RunningTerminal, type StartOptions, startTerminal } from '../terminal/run-terminal.ts';

export interface TachoIn {
  /** Runs it to its end; `after` follows `--`. */
  run(words: readonly string[], after?: readonly string[], input?: string): Promise<Finished>;
  /** The same with --json, its answer read. */
  json(words: readonly string[], after?: readonly string[]): Promise<ReturnType<typeof JSON.parse>>;
  /** Runs a command in this process, if the command is not under test; see `tachoHere` for its limits. */
  here: TachoIn['run'];
  /** The same with --json, its answer read. */
  jsonHere: TachoIn['json'];
  /** Starts it on a terminal, as a user does; the shell prints the terminal's modes and the exit code around it. */
  atTerminal(words: readonly string[], after?: readonly string[], options?: StartOptions): RunningTerminal;
}

/** The built command, for one workspace. */
export function tachoIn(workspace: string, env: Record<string, string> = {}): TachoIn {
  const wordsOf = (words: readonly string[], after: readonly string[]) => [
    ...words,
    '--workspace',
    workspace,
    ...(after.length > 0 ? ['--', ...after] : []),
  ];
  const run: TachoIn['run'] = async (words, after = [], input = '') => {
    const child = startTacho(wordsOf(words, after), { env });
    child.stdin!.end(input);
    return await finished(child);
  };
  const here: TachoIn['run'] = (words, after = [], input = '') => {
    const environment = { ...process.env, NO_COLOR: '1', ...env } as Record<string, string>;
    return tachoHere(wordsOf(words, after), { cwd: process.cwd(), env: environment, input });
  };
  return {
    run,
    here,
    json: async (words, after) => JSON.parse((await run([...words, '--json'], after)).stdout),
    jsonHere: async (words, after) => JSON.parse((await here([...words, '--json'], after)).stdout),
    atTerminal: (words, after = [], options = {}) => {
      const script = 'stty -g; "$@"; echo "code $?"; stty -g';
      const argv = ['bash', '--norc', '-c', script, 'bash', ...command, ...wordsOf(words, after)];
      const terminal = { PATH: process.env.PATH!, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
      return startTerminal(argv, { mode: 'merged', echo: true, env: terminal, ...options });
    },
  };
}
