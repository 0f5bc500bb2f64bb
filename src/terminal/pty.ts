import fs from 'node:fs';
import { changeModes, openPseudoTerminal, readModes, resumeOutput, setWindowSize } from './libc.ts';

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
  slave: number;
  path: string;
}

export function openPty(options: PtyOptions): Pty {
  const pty = openPseudoTerminal();
  changeModes(pty.slave, {
    clear: { output: options.outputProcessing ? 0 : OPOST, local: options.echo ? 0 : ECHO_FLAGS },
    // ONLCR stays set while OPOST is off: it then means nothing to the kernel, but tells what the program wants at
    // display (full-screen programs clear it, libuv's raw mode sets it).
    set: { output: options.outputProcessing ? OPOST | ONLCR : ONLCR },
  });
  setWindowSize(pty.slave, options.cols, options.rows);
  return pty;
}

export function resizePty(pty: Pty, cols: number, rows: number): void {
  setWindowSize(pty.slave, cols, rows);
}

/** The program turned output processing on although we had turned it off. */
export function processesOutput(pty: Pty): boolean {
  return (readModes(pty.slave).output & OPOST) !== 0;
}

/** The program expects a bare LF to start a new line; a display then has to add the carriage return. */
export function expectsNewlineTranslation(pty: Pty): boolean {
  return (readModes(pty.slave).output & ONLCR) !== 0;
}

/** Output stopped by ^S would never drain. TCOON alone does not release it; IXON has to go first. */
export function releaseStoppedOutput(pty: Pty): void {
  changeModes(pty.slave, { clear: { input: IXON, output: OPOST } });
  resumeOutput(pty.slave);
}

export function closeSlave(pty: Pty): void {
  fs.closeSync(pty.slave);
}
