import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { MAX_ARGUMENT_BYTES, TachoError } from '../../protocol/index.ts';

/** Programs often give their children a pipe that never delivers anything. */
const FIRST_BYTE_TIMEOUT_MS = 3000;

const SILENT_PIPE =
  'standard input is a pipe on which nothing came; starting without it. To avoid the wait: < /dev/null';

interface PipedTextOptions {
  /** Whether to wait as long as the pipe is open; otherwise a silent pipe is given up after a timeout. */
  required: boolean;
  /** No message when a pipe is given up. */
  quiet?: boolean;
  stdin?: Readable & { isTTY?: boolean; fd?: number };
  timeoutMs?: number;
}

/** Reads piped input to its end; empty at a terminal. It must fit into the prompt. */
export async function readPipedText(options: PipedTextOptions): Promise<string> {
  const { required, quiet = false, stdin = process.stdin, timeoutMs = FIRST_BYTE_TIMEOUT_MS } = options;
  if (stdin.isTTY || isDevice(stdin.fd)) return '';
  const pieces: Buffer[] = [];
  let bytes = 0;
  const giveUp = () => {
    if (!quiet) process.stderr.write(`tacho: ${SILENT_PIPE}\n`);
    stdin.destroy();
  };
  const timer = required ? undefined : setTimeout(giveUp, timeoutMs);
  try {
    for await (const piece of stdin) {
      clearTimeout(timer);
      pieces.push(Buffer.from(piece as Buffer));
      bytes += pieces.at(-1)!.length;
      if (bytes > MAX_ARGUMENT_BYTES) throw tooLong();
    }
  } catch (error) {
    if (error instanceof TachoError) throw error;
    // The pipe was given up or cannot be read: treat it as empty.
    if (bytes > 0) throw new TachoError('PROMPT_INVALID', `standard input failed: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    stdin.destroy();
  }
  return Buffer.concat(pieces).toString();
}

/** Such as /dev/null, which has no typed or piped input. */
function isDevice(fd: number | undefined): boolean {
  try {
    return fd !== undefined && fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

function tooLong(): TachoError {
  return new TachoError('PROMPT_TOO_LONG', `more than ${MAX_ARGUMENT_BYTES} bytes were piped in`, {
    facts: { limit: MAX_ARGUMENT_BYTES },
    fix: 'Write them to a file in the workspace and name the file in the prompt.',
  });
}
