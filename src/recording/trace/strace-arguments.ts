import { DESCRIPTOR_CALLS, EXEC_CALLS, FORK_CALLS, SESSION_CALL, WRITE_CALLS } from './traced-calls.ts';

export interface StraceArguments {
  /** Where the trace goes. */
  output: string;
  /** The trace is kept for people and for `reconstructStreams`: whole strings, descriptor calls, signals. */
  isKept: boolean;
  /** The kernel can be told to stop the processes at the traced calls only. */
  seccompBpf: boolean;
}

// The bytes come from the terminals; of a write, the trace need only show enough to tell it from another.
const SAMPLE_BYTES = 128;
const WHOLE_WRITE_BYTES = 65_536;

/**
 * Options of `strace`, up to the command. The tracer runs as a distant relative in a session of its own (`-DDD`), so
 * that pid, exit code and signal are the command's, its background children are not waited for, and a signal to the
 * command's process group leaves the tracer alive.
 */
export function straceArguments({ output, isKept, seccompBpf }: StraceArguments): string[] {
  const calls = [...WRITE_CALLS.keys(), ...FORK_CALLS, ...EXEC_CALLS, SESSION_CALL];
  if (isKept) calls.push(...DESCRIPTOR_CALLS);
  return [
    '-DDD',
    '-f',
    '-q',
    ...(seccompBpf ? ['--seccomp-bpf'] : []),
    // In a process namespace of its own a fork returns numbers the process column does not know.
    '--pidns-translation',
    '-ttt',
    '-yy',
    '-s',
    String(isKept ? WHOLE_WRITE_BYTES : SAMPLE_BYTES),
    '-e',
    // A question mark lets the tracer pass over calls this machine does not have.
    `trace=${calls.map((call) => `?${call}`).join(',')}`,
    // Not `none`: that would leave out who was killed by which signal.
    ...(isKept ? [] : ['-e', 'signal=!SIGCHLD']),
    '-o',
    output,
    '--',
  ];
}
