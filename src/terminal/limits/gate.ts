import fs from 'node:fs';
import { openPipe } from '../libc.ts';

/**
 * Holds a program back, with its final pid, until its limits are set: a shell waits for a line and then execs the
 * program. If we die before, no line comes and nothing is started.
 */
export interface Gate {
  /** The command to start instead of the program. */
  argv: string[];
  /** To be passed to the program as `number`; ours is closed after the start. */
  descriptor: number;
  /** Starts the program. */
  open(): void;
  /** Cancels, unless already open: the waiting shell exits. */
  close(): void;
}

/** `number`: the descriptor's number in the program, at most 9. */
export function openGate(argv: readonly string[], number: number, nice: number | undefined): Gate {
  const { read, write } = openPipe();
  // With autogroups, nice only works within a session, so the autogroup needs it too.
  const group = nice === undefined ? '' : `{ echo ${nice} >/proc/self/autogroup; } 2>/dev/null; `;
  const script = `read -r _ <&${number} || exit 125; exec ${number}<&-; ${group}exec "$@"`;
  let closed = false;
  const close = (): void => {
    if (!closed) fs.closeSync(write);
    closed = true;
  };
  return {
    argv: ['/bin/sh', '-c', script, 'sh', ...argv],
    descriptor: read,
    open: () => {
      fs.writeSync(write, '\n');
      close();
    },
    close,
  };
}
