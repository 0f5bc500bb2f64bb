import { readModes, unreadInput } from './libc.ts';
import type { Terminal } from './terminal.ts';

/**
 * Feeds bytes that come from a file or a pipe to a program that reads a terminal. A terminal in line mode acts on
 * control characters, ends the input at ^D, and cuts a line at 4,096 bytes; so control characters are quoted with the
 * terminal's own literal-next character, and input goes in small pieces, each only when the program has read the last.
 */

const ICANON = 0o2;
const PIECE_BYTES = 1024;
/** VINTR VQUIT VERASE VKILL VEOF, VSTART VSTOP VSUSP VEOL, VREPRINT VDISCARD VWERASE VLNEXT VEOL2, and CR (ICRNL). */
const ACTED_UPON = new Set([0x03, 0x1c, 0x7f, 0x15, 0x04, 0x11, 0x13, 0x1a, 0x12, 0x0f, 0x17, 0x16, 0x0d]);
const LITERAL_NEXT = 0x16;
const END_OF_FILE = Buffer.from([0x04]);

export async function writePiped(terminal: Terminal, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length && !terminal.closed; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES);
    const lineMode = inLineMode(terminal);
    await terminal.write(lineMode ? quote(piece) : piece);
    // Without a line end the program would not see the piece; ^D hands over what is there, and is not an end of file
    // as long as something is.
    if (lineMode && piece[piece.length - 1] !== 0x0a) await terminal.write(END_OF_FILE);
    await untilRead(terminal);
  }
}

/** The input is over: a program in line mode reads an end of file; in raw mode there is no such thing. */
export async function endPiped(terminal: Terminal): Promise<void> {
  if (!terminal.closed && inLineMode(terminal)) await terminal.write(END_OF_FILE);
}

function inLineMode(terminal: Terminal): boolean {
  return (readModes(terminal.inputSlave).local & ICANON) !== 0;
}

function quote(piece: Uint8Array): Buffer {
  const quoted: number[] = [];
  for (const byte of piece) {
    if (ACTED_UPON.has(byte)) quoted.push(LITERAL_NEXT);
    quoted.push(byte);
  }
  return Buffer.from(quoted);
}

async function untilRead(terminal: Terminal): Promise<void> {
  for (let wait = 0; !terminal.closed && unreadInput(terminal.inputSlave) > 0; wait = Math.min(wait + 1, 20)) {
    await new Promise((resolve) => (wait === 0 ? setImmediate(resolve) : setTimeout(resolve, wait)));
  }
}
