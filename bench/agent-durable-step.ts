import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { measureAgentSteps } from './support/agent-steps.ts';

export const name = 'agent step with effects';
export const goal = '≤ 0.5 ms';
export const about =
  'The same run with a tool that has effects: before each call the log, and after it the mark that the effect may begin, are forced to ' +
  'the disk. Peer: the same number of writes and fdatasync calls on a file, which is what the disk takes alone.';

const STEPS = 5000;
/** The intent, and the mark. */
const SYNCS_PER_STEP = 2;
const MAX_MS = 0.5;

export async function run(): Promise<Row[]> {
  const before = rawSyncs();
  const { ms, cpuMs, steps } = measureAgentSteps(STEPS, 'effects');
  const raw = (before + rawSyncs()) / 2;
  const own = ms / steps;
  return [
    {
      what: 'agent step with effects',
      ours: `${own.toFixed(2)} ms`,
      peer: `${raw.toFixed(2)} ms`,
      peerName: `${SYNCS_PER_STEP} × write and fdatasync`,
      ratio: own / raw,
      goal: `≤ ${MAX_MS} ms`,
      met: own <= MAX_MS,
      note: `processor ${(cpuMs / steps).toFixed(2)} ms`,
    },
  ];
}

/** Milliseconds for as many forced writes as a step has. */
function rawSyncs(): number {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const fd = fs.openSync(path.join(folder, 'file'), 'w');
  const line = Buffer.alloc(300, 'x');
  const start = performance.now();
  for (let step = 0; step < STEPS * SYNCS_PER_STEP; step++) {
    fs.writeSync(fd, line);
    fs.fdatasyncSync(fd);
  }
  const ms = (performance.now() - start) / STEPS;
  fs.closeSync(fd);
  fs.rmSync(folder, { recursive: true });
  return ms;
}
