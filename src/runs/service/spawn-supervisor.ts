import { spawn } from 'node:child_process';
import type { RunFolder } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';

/**
 * Starts the process that records a run's next attempt. Detached and without our streams, so that it outlives us. Calls
 * `ended` if it exits before us.
 */
export function spawnSupervisor(
  folder: RunFolder,
  { context, command }: { context: RunContext; command: readonly string[] },
  ended: () => void,
): void {
  const [program, ...words] = command;
  const child = spawn(program!, [...words, 'supervise', folder.path, '--data', context.home.root], {
    detached: true,
    stdio: 'ignore',
    cwd: context.home.root,
    env: context.env,
  });
  child.on('error', ended);
  child.on('exit', ended);
  child.unref();
}
