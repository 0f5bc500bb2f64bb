import fs from 'node:fs';
import { TachoError } from '../protocol/index.ts';
import { changeModes, openMaster, openSlave, readModes, resumeOutput, setWindowSize } from './libc.ts';

const ICANON = 0o2;
const OPOST = 0o1;
const ONLCR = 0o4;
const IXON = 0o2000;
const ECHO_FLAGS = 0o10 | 0o20 | 0o40 | 0o100 | 0o1000 | 0o4000; // ECHO ECHOE ECHOK ECHONL ECHOCTL ECHOKE

export interface PtyOptions {
  cols: number;
  rows: number;
  /** Show typed input in the output, as a terminal does for a person. */
  echo: boolean;
  /** Let the kernel turn LF into CR LF. Off keeps the record byte for byte what the program wrote. */
  outputProcessing: boolean;
}

/** One pseudo-terminal. We read the master; the program writes the slave, which we keep open until all is drained. */
export interface Pty {
  master: number;
  /** Ours alone: a program that makes its own non-blocking does not change how we write. */
  slave: number;
  /** For the program; ours is closed once the program has it. */
  programSlave: number;
  path: string;
}

export function openPty(options: PtyOptions): Pty {
  const { master, path } = openMaster();
  const opened = [master];
  try {
    const slave = openSlave(master);
    opened.push(slave);
    const programSlave = openSlave(master);
    opened.push(programSlave);
    setUp(slave, options);
    return { master, slave, programSlave, path };
  } catch (error) {
    for (const fd of opened) fs.closeSync(fd);
    throw error;
  }
}

function setUp(slave: number, options: PtyOptions): void {
  changeModes(slave, {
    clear: { output: options.outputProcessing ? 0 : OPOST, local: options.echo ? 0 : ECHO_FLAGS },
    // ONLCR stays set while OPOST is off: it then means nothing to the kernel, but tells what the program wants at
    // display (full-screen programs clear it, libuv's raw mode sets it).
    set: { output: options.outputProcessing ? OPOST | ONLCR : ONLCR },
  });
  setWindowSize(slave, options.cols, options.rows);
}

export function resizePty(pty: Pty, cols: number, rows: number): void {
  setWindowSize(pty.slave, cols, rows);
}

/** The program turned output processing on although we had turned it off. */
export function processesOutput(pty: Pty): boolean {
  return (readModes(pty.slave).output & OPOST) !== 0;
}

/** The program gets its input line by line, which is how a terminal starts; full-screen programs change it. */
export function readsLines(pty: Pty): boolean {
  return (readModes(pty.slave).local & ICANON) !== 0;
}

/** The program expects a bare LF to start a new line; a display then has to add the carriage return. */
export function expectsNewlineTranslation(pty: Pty): boolean {
  return (readModes(pty.slave).output & ONLCR) !== 0;
}

/** Lets output go on that ^S had stopped. TCOON alone does not release it; IXON has to go first. */
export function releaseStoppedOutput(pty: Pty): void {
  changeModes(pty.slave, { clear: { input: IXON } });
  resumeOutput(pty.slave);
}

/** From now on what is written to the slave comes out of the master as it is, and at once. */
export function prepareForMarker(pty: Pty): void {
  changeModes(pty.slave, { clear: { output: OPOST } });
  releaseStoppedOutput(pty);
}

/** A terminal that the program hung up (vhangup) answers no question any more; what it printed is still ours. */
export function unlessHungUp<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}
