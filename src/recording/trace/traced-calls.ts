/** How a call that writes names its target and shows the bytes. */
interface WriteShape {
  /** Index of the argument with the descriptor that is written to. */
  target: number;
  /** Index of the argument with the bytes; null if the kernel moves them unseen. */
  data: number | null;
}

export const WRITE_CALLS: ReadonlyMap<string, WriteShape> = new Map([
  ['write', { target: 0, data: 1 }],
  ['writev', { target: 0, data: 1 }],
  ['pwrite64', { target: 0, data: 1 }],
  ['pwritev', { target: 0, data: 1 }],
  ['pwritev2', { target: 0, data: 1 }],
  ['sendfile', { target: 0, data: null }],
  ['sendfile64', { target: 0, data: null }],
  ['splice', { target: 2, data: null }],
  ['copy_file_range', { target: 2, data: null }],
]);

export const FORK_CALLS: ReadonlySet<string> = new Set(['clone', 'clone3', 'fork', 'vfork']);
export const EXEC_CALLS: ReadonlySet<string> = new Set(['execve', 'execveat']);

/** Calls that change the meaning of descriptors. */
export const DESCRIPTOR_CALLS: ReadonlySet<string> = new Set([
  'dup',
  'dup2',
  'dup3',
  'fcntl',
  'fcntl64',
  'open',
  'openat',
  'openat2',
  'close',
  'close_range',
]);

/** A process that starts a new session has another controlling terminal, or none. */
export const SESSION_CALL = 'setsid';
