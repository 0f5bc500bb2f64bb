import { setTimeout as sleep } from 'node:timers/promises';
import { discardInput, hasUnreadInput, readModes } from './libc.ts';
import type { Terminal } from './terminal.ts';

/**
 * Feeds bytes from a file or a pipe to a program that reads a terminal. A terminal in line mode acts on control
 * characters, ends the input at ^D, and truncates a line at 4,096 bytes; so control characters are quoted with the
 * terminal's literal-next character, and input is written in small pieces, each after the program has read the one
 * before.
 */

const ICANON = 0o2;
const IEXTEN = 0o100000;
const PIECE_BYTES = 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Indexes in the terminal's table of control characters. */
const END_OF_FILE = 4;
const LITERAL_NEXT = 15;
const READING_TIME = 5;
const READING_COUNT = 6;
const MAX_PAUSE_MS = 50;

/** A terminal in line mode: its special characters, and how to quote them. */
interface LineMode {
  actedUpon: Set<number>;
  /** Null if the program has disabled quoting. */
  literalNext: number | null;
  /** Empty if the program has disabled it. */
  endOfFile: Buffer;
}

export async function writePiped(terminal: Terminal, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length && !terminal.closed; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES);
    const mode = lineMode(terminal);
    await terminal.feed(mode ? quote(piece, mode) : piece);
    // Without a line end the program would not receive the piece; ^D delivers it, and is not an end of file while the
    // line has content.
    if (mode && piece[piece.length - 1] !== LINE_FEED) await terminal.feed(mode.endOfFile);
    await untilRead(terminal);
  }
}

/**
 * End of input: in line mode, the program reads an end of file. So does every program after it, as from a pipe, while a
 * terminal would give it only to the first. Raw mode has no end of file.
 */
export async function endPiped(terminal: Terminal): Promise<void> {
  await sayEnd(terminal);
  repeatEnd(terminal).catch(() => {}); // The terminal was hung up, so it can no longer be read.
}

async function repeatEnd(terminal: Terminal): Promise<void> {
  for (let wait = 1; !terminal.closed; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
    await pause(wait);
    await sayEnd(terminal);
  }
}

async function sayEnd(terminal: Terminal): Promise<void> {
  if (terminal.closed) return;
  const mode = lineMode(terminal);
  if (!mode || hasUnreadInput(terminal.inputSlave)) return;
  await terminal.feed(mode.endOfFile);
  // The program has left line mode meanwhile, where the character would be input: discard it.
  if (!terminal.closed && lineMode(terminal) === null) discardInput(terminal.inputSlave);
}

function lineMode(terminal: Terminal): LineMode | null {
  const { local, controlCharacters } = readModes(terminal.inputSlave);
  if ((local & ICANON) === 0) return null;
  const actedUpon = new Set([CARRIAGE_RETURN]);
  controlCharacters.forEach((character, place) => {
    const disabled = character === 0 || place === READING_TIME || place === READING_COUNT;
    if (!disabled) actedUpon.add(character);
  });
  return {
    actedUpon,
    literalNext: (local & IEXTEN) === 0 ? null : controlCharacters[LITERAL_NEXT] || null,
    endOfFile: Buffer.from(controlCharacters.subarray(END_OF_FILE, END_OF_FILE + 1).filter(Boolean)),
  };
}

function quote(piece: Uint8Array, { actedUpon, literalNext }: LineMode): Uint8Array {
  if (literalNext === null) return piece;
  const quoted: number[] = [];
  for (const byte of piece) {
    if (actedUpon.has(byte)) quoted.push(literalNext);
    quoted.push(byte);
  }
  return Buffer.from(quoted);
}

async function untilRead(terminal: Terminal): Promise<void> {
  for (let wait = 0; !terminal.closed && hasUnreadInput(terminal.inputSlave); wait = Math.min(wait + 1, 20)) {
    await (wait === 0 ? new Promise((resolve) => setImmediate(resolve)) : pause(wait));
  }
}

/** Does not keep this process alive; the open terminal does. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
