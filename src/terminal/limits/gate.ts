import fs from 'node:fs';
import { openPipe } from '../libc.ts';

/**
 * Holds a program back until its limits are set, under the pid it will have: a shell waits for a line and then becomes
 * the program. When we die meanwhile, the line does not come and nothing is started.
 */
export interface Gate {
  /** What is started instead of the program. */
  argv: string[];
  /** For the program, under the number it was told; ours is closed once it has it. */
  descriptor: number;
  /** Lets it through. */
  open(): void;
  /** Gives up, unless it is open: what waits ends. */
  close(): void;
}

/** `number`: under which the program gets the descriptor, 9 at most. */
export function openGate(argv: readonly string[], number: number, nice: number | undefined): Gate {
  const { read, write } = openPipe();
  // Nice counts within a session only where the kernel groups tasks by session; there the group needs it too.
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
