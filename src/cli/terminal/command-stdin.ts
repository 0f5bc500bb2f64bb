import { usage } from '../run/record-options.ts';

/** The limit of one message in base64. */
const MAX_BYTES = 6_000_000;

export interface StdinOptions {
  stdin?: boolean;
}

/**
 * Reads standard input to its end, for the command. Only on request: a script's or another session's input may never
 * end, or may be meant for the next command.
 */
export async function readCommandStdin({ stdin }: StdinOptions) {
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
