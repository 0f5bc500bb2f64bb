import { readProcessStat } from '../../files/index.ts';
import { listChildren } from '../../terminal/processes/proc.ts';

const TIMEOUT_MS = 2000;

/**
 * Ends this process and everything that it has started, at once: nothing more is written to the log, so it looks as if
 * the process had been killed. What escapes is ended by the next daemon.
 */
export function dieWithDescendants(): never {
  const deadline = performance.now() + TIMEOUT_MS;
  // They are still there for a moment after the signal.
  while (performance.now() < deadline && killDescendants() > 0);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function killDescendants(): number {
  let found = 0;
  const open = listChildren('self');
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (readProcessStat(pid)?.zombie !== false) continue;
    found++;
    open.push(...listChildren(pid));
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}
