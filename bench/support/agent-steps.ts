import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { buildProgram } from './build-program.ts';

export interface Steps {
  steps: number;
  cpuMs: number;
  ms: number;
  rssMb: number;
  /** With `keep`. */
  workspaceRoot?: string;
  runId?: string;
}

export const dist = path.join(path.dirname(path.dirname(import.meta.dirname)), 'dist');

/** A run of as many steps with the built library, in a process of its own. */
export function measureAgentSteps(steps: number, ...flags: ('effects' | 'keep')[]): Steps {
  const program = buildProgram(new URL('../programs/agent-steps.ts', import.meta.url));
  const text = execFileSync(process.execPath, [program, dist, String(steps), ...flags], { encoding: 'utf8' });
  return JSON.parse(text) as Steps;
}
