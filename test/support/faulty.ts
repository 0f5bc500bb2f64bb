import fs from 'node:fs';
import path from 'node:path';
import { tachoCommand, temporaryFolder } from './tacho.ts';

/** A signal makes a callback throw, like a bug in the middle of the command's work. */
const FAULT = "process.on('SIGUSR2', () => { throw new Error('provoked by the test'); });\n";

/** The command line of the built command with that fault. */
export function faultyCommand(): string[] {
  const fault = path.join(temporaryFolder(), 'fault.cjs');
  fs.writeFileSync(fault, FAULT);
  return [process.execPath, '--require', fault, tachoCommand];
}
