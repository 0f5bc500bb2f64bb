import { DESCRIPTOR_CALLS, EXEC_CALLS, FORK_CALLS, SESSION_CALL, WRITE_CALLS } from './traced-calls.ts';

export interface StraceArguments {
  /** Where the trace is written to. */
  output: string;
  /** The trace is kept for users and for `reconstructStreams`: complete strings, descriptor calls, signals. */
  isKept: boolean;
  /** The kernel can stop the processes at the traced calls only. */
  seccompBpf: boolean;
}

// The bytes come from the terminals; the trace of a write only has to distinguish it from others.
const SAMPLE_BYTES = 128;
const WHOLE_WRITE_BYTES = 65_536;

/**
 * Options of `strace`, up to the command. The tracer runs as a detached process in a separate session (`-DDD`), so that
 * pid, exit code and signal are the command's, its background children are not waited for, and a signal to the
 * command's process group does not end the tracer.
 */
export function straceArguments({ output, isKept, seccompBpf }: StraceArguments): string[] {
  const calls = [...WRITE_CALLS.keys(), ...FORK_CALLS, ...EXEC_CALLS, SESSION_CALL];
  if (isKept) calls.push(...DESCRIPTOR_CALLS);
  return [
    '-DDD',
    '-f',
    '-q',
    ...(seccompBpf ? ['--seccomp-bpf'] : []),
    // In a separate pid namespace, a fork returns numbers that the process column does not use.
    '--pidns-translation',
    '-ttt',
    '-yy',
    '-s',
    String(isKept ? WHOLE_WRITE_BYTES : SAMPLE_BYTES),
    '-e',
    // A question mark makes the tracer ignore calls that this machine does not have.
    `trace=${calls.map((call) => `?${call}`).join(',')}`,
    // Not `none`: that would hide which process was killed by which signal.
    ...(isKept ? [] : ['-e', 'signal=!SIGCHLD']),
    '-o',
    output,
    '--',
  ];
}
