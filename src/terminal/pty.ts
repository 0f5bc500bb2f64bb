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
  /** Echo typed input to the output, as an interactive terminal does. */
  echo: boolean;
  /** Let the kernel translate LF to CR LF. Off keeps the recorded bytes exactly as the program wrote them. */
  outputProcessing: boolean;
}

/**
 * One pseudo-terminal. We read the master; the program writes to the slave, which we keep open until everything is
 * drained.
 */
export interface Pty {
  master: number;
  /** Our own open file: if the program makes its own non-blocking, our writes are not affected. */
  slave: number;
  /** For the program; ours is closed after the start. */
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
    // ONLCR stays set while OPOST is off: the kernel then ignores it, but it shows what the program wants at display
    // (full-screen programs clear it, libuv's raw mode sets it).
    set: { output: options.outputProcessing ? OPOST | ONLCR : ONLCR },
  });
  setWindowSize(slave, options.cols, options.rows);
}

export function resizePty(pty: Pty, cols: number, rows: number): void {
  setWindowSize(pty.slave, cols, rows);
}

/** The program has turned output processing on after we had turned it off. */
export function processesOutput(pty: Pty): boolean {
  return (readModes(pty.slave).output & OPOST) !== 0;
}

/** Input is line-buffered, as in every new terminal; full-screen programs change that. */
export function readsLines(pty: Pty): boolean {
  return (readModes(pty.slave).local & ICANON) !== 0;
}

/** The program expects a bare LF to start a new line; a display then has to add the carriage return. */
export function expectsNewlineTranslation(pty: Pty): boolean {
  return (readModes(pty.slave).output & ONLCR) !== 0;
}

/** Releases output that ^S has stopped. TCOON alone does not; IXON has to be cleared first. */
export function releaseStoppedOutput(pty: Pty): void {
  changeModes(pty.slave, { clear: { input: IXON } });
  resumeOutput(pty.slave);
}

/** From now on, bytes written to the slave come out of the master unchanged and at once. */
export function prepareForMarker(pty: Pty): void {
  changeModes(pty.slave, { clear: { output: OPOST } });
  releaseStoppedOutput(pty);
}

/** A terminal that the program has hung up (vhangup) cannot be queried; its output is still readable. */
export function unlessHungUp<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}
