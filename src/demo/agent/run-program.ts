import { spawn } from 'node:child_process';

export interface ProgramResult {
  output: string;
  /** Null when it could not be started or was killed. */
  exitCode: number | null;
}

/** More than that is nothing to show. */
const MOST_OUTPUT = 16 * 1024;

/** Runs a program in the current folder, without a shell; its two outputs come together, as on a terminal. */
export function runProgram([program, ...words]: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => void chunks.push(bytes));
    child.on('error', (error) => resolve({ output: error.message, exitCode: null }));
    child.on('close', (exitCode) => {
      const output = Buffer.concat(chunks).subarray(0, MOST_OUTPUT).toString('utf8');
      resolve({ output, exitCode });
    });
  });
}
