// Opens a run and prints its pid, or the error; keeps the run open until its input ends.
import { openWal } from '../../../../src/agent/wal/index.ts';

const [workspaceRoot, runId] = process.argv.slice(2) as [string, string];
try {
  const wal = await openWal({ workspaceRoot, runId, create: false });
  console.log(`held ${process.pid}`);
  process.stdin.resume().once('end', () => void wal.close());
} catch (error) {
  const { code, facts } = error as { code: string; facts: { pid: number } };
  console.log(`${code} ${facts.pid}`);
}
