import { randomUUID } from 'node:crypto';
import { pollUntil } from '../../files/index.ts';
import { TachoError } from '../../protocol/error-code.ts';
import type { SandboxEntry } from '../../sandbox/index.ts';
import { Confinement } from '../../terminal/limits/confinement.ts';
import { PipedProgram } from '../../terminal/piped-program.ts';
import { endTree, MARKER_VARIABLE, watchSurvivors } from '../../terminal/processes/process-tree.ts';
import type { Command, CommandOutcome } from './command-runner.ts';
import type { CommandRunnerOptions } from './create-runner.ts';
import { explainFailedEntry } from './failed-entry.ts';
import { OutputPair } from './output-pair.ts';

/** The sandbox ends what a program left behind; this is how long to wait for it, and how often to look. */
const SANDBOX_END = { timeoutMs: 1000, everyMs: 1 };
/** How long to try to end processes that were left behind: one that waits for a dead disk never ends. */
const REST_END = { timeoutMs: 20_000, everyMs: 1 };
/** The longest time that a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

type Abort = 'timeout' | 'cancel';

export async function runCommand(
  command: Command,
  signal: AbortSignal,
  { sandbox, limits, lingerMs, killGraceMs }: Required<CommandRunnerOptions>,
): Promise<CommandOutcome> {
  const begun = performance.now();
  const output = new OutputPair(command.maxOutputBytes);
  const unstarted = { exitCode: null, signal: null };
  if (signal.aborted) return output.result(unstarted, begun, 'cancel');
  const unusable = findUnusable(command);
  if (unusable !== null) return output.failedStart(unusable, 126, begun);
  const marker = randomUUID();
  const env = { ...sandbox.environment, LANG: 'C.UTF-8', TERM: 'dumb', ...command.env, [MARKER_VARIABLE]: marker };
  const entered = sandbox.enter({ cwd: command.cwd, env, read: command.read });
  if ('why' in entered) return { denied: entered.why };
  let confinement: Confinement | null = null;
  try {
    confinement = Confinement.open(limits, marker);
    const watch = confinement?.watch() ?? null;
    const { entry } = entered;
    const program = await start({ command, env, marker, entry, confinement, output });
    let abort: Abort | null = null;
    let ending: Promise<unknown> | null = null;
    const end = (why: Abort): void => {
      abort ??= why;
      // What it cannot find is ended below.
      ending ??= endTree(program.tree, killGraceMs).catch(() => {});
    };
    const cancel = (): void => end('cancel');
    const timer = setTimeout(() => end('timeout'), Math.min(Math.max(command.timeoutMs, 0), MAX_TIMEOUT_MS));
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      program.input?.end(command.input ?? '');
      const exit = await program.exited;
      clearTimeout(timer);
      program.drain();
      await ending;
      const exceeded = watch?.(exit) ?? null;
      await endRest(program, { sandboxed: entry !== null, lingerMs, killGraceMs });
      if (exit.exitCode !== null && abort === null && program.hasFailedEntry()) {
        const failed = explainFailedEntry(output.stderrText(), command.argv[0]!);
        return 'denied' in failed ? failed : output.failedStart(failed.message, failed.exitCode, begun);
      }
      return { ...output.result(exit, begun, abort), ...(exceeded && { limitExceeded: exceeded }) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      program.close();
    }
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    if (error.code === 'LIMIT_UNAVAILABLE') return { denied: error.message };
    if (error.code === 'COMMAND_UNAVAILABLE') return output.failedStart(error.message, 127, begun);
    throw error;
  } finally {
    await confinement?.end();
    entered.leave();
  }
}

interface Start {
  command: Command;
  env: Record<string, string>;
  marker: string;
  entry: SandboxEntry | null;
  confinement: Confinement | null;
  output: OutputPair;
}

async function start({ command, env, marker, entry, confinement, output }: Start): Promise<PipedProgram> {
  return await PipedProgram.start({
    argv: command.argv,
    cwd: command.cwd,
    env,
    marker,
    stdin: command.input === undefined ? 'empty' : 'pipe',
    entry,
    confinement,
    onOutput: (stream, bytes) => output.append(stream, bytes),
  });
}

/** Ends every process that the program left behind, after a moment for the output of those that are about to end. */
async function endRest(
  program: PipedProgram,
  { sandboxed, lingerMs, killGraceMs }: { sandboxed: boolean; lingerMs: number; killGraceMs: number },
): Promise<void> {
  const hasSurvivors = watchSurvivors(program.tree);
  if (sandboxed) await pollUntil(() => !hasSurvivors(), SANDBOX_END);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, lingerMs);
  });
  await Promise.race([program.closed, timeout]);
  clearTimeout(timer);
  // A process that has just forked and exited may be missing in a search, but its child then becomes ours.
  const isOver = async (): Promise<boolean> => {
    if (!hasSurvivors()) return true;
    await endTree(program.tree, killGraceMs);
    return false;
  };
  await pollUntil(isOver, REST_END).catch(() => {}); // For lack of descriptors.
  program.drain();
}

/** What cannot be passed to any program. */
function findUnusable({ argv, env }: Command): string | null {
  if (!argv[0]) return 'there is no program to run';
  const hasNul = [...argv, ...Object.values(env)].some((text) => text.includes('\0'));
  if (hasNul) return 'an argument or variable contains a NUL character';
  const name = Object.keys(env).find((name) => !/^[^=\0]+$/.test(name));
  return name === undefined ? null : `"${name}" is not a valid name of a variable`;
}
