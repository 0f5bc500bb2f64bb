import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { openPty } from '../../../src/terminal/pty.ts';
import { tachoCommand } from '../../support/tacho.ts';
import type { Place } from './drive.ts';

interface HungUp {
  recorder: ChildProcess;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Closes the terminal in which the run was started. */
  hangUp(): void;
}

/** `tacho run` of a script, in a terminal that can be hung up. */
export function startHungUp(place: Place, capture: string, script: string): HungUp {
  const pty = openPty({ cols: 80, rows: 24, echo: true, outputProcessing: true });
  const words = ['-c', process.execPath, tachoCommand, 'run', '--capture', capture, '--', 'sh', '-c', script];
  const recorder = spawn('setsid', words, {
    stdio: [pty.programSlave, pty.programSlave, pty.programSlave],
    cwd: place.workspace,
    env: { ...process.env, TACHO_HOME: place.home },
  });
  fs.closeSync(pty.programSlave);
  fs.closeSync(pty.slave);
  return {
    recorder,
    ended: new Promise((resolve) => recorder.once('exit', (code, signal) => resolve({ code, signal }))),
    hangUp: () => fs.closeSync(pty.master),
  };
}
