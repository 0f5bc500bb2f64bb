import { spawnSync } from 'node:child_process';

/** Runs a command under strace on one terminal, with `script`, and writes the trace. */
export function traceOnOneTerminal(tracePath: string, straceOptions: string, command: string): void {
  const line = `strace ${straceOptions} -o '${tracePath}' -- ${command}`;
  const { status, stderr } = spawnSync('script', ['-qfec', line, '/dev/null'], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`script ended with ${status}: ${stderr}`);
}
