import fs from 'node:fs';
import { usage } from '../run/record-options.ts';

/** As many as fit into one message, in base64. */
const MAX_BYTES = 6_000_000;

export interface StdinOptions {
  /** `--stdin` or `--no-stdin`. */
  stdin?: boolean;
}

/** The input that our caller piped in for a command, read to its end; undefined when there is none. */
export async function readCommandStdin({ stdin = isPiped() }: StdinOptions) {
  if (!stdin) return undefined;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > MAX_BYTES) {
      throw usage(
        `the input is larger than ${MAX_BYTES} bytes`,
        'Open a session with: tacho terminal create --kind exec -- <program>. Then: tacho terminal write <session> --end <file',
      );
    }
  }
  return { data: Buffer.concat(pieces).toString('base64'), encoding: 'base64' as const };
}

/** Not a terminal, and not the socket or /dev/null that programs and service managers commonly give us. */
function isPiped(): boolean {
  try {
    const stat = fs.fstatSync(process.stdin.fd);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false; // It is closed, or not a file of the system.
  }
}
