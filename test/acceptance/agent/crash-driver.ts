import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decideApproval, pendingApprovals } from '../../../src/agent/pending/index.ts';
import { builtProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { prepareWorkspace, RUN } from './programs/crash-agent.ts';

export interface Place {
  workspace: string;
  side: string;
  runFolder: string;
}

export function crashPlace(): Place {
  const folder = temporaryFolder();
  const workspace = path.join(folder, 'workspace');
  fs.mkdirSync(workspace);
  prepareWorkspace(workspace);
  return { workspace, side: path.join(folder, 'side'), runFolder: path.join(workspace, '.tacho/runs', RUN) };
}

export interface Outcome {
  status: 'completed' | 'failed' | 'waiting' | 'error' | 'killed';
  code?: string;
  message?: string;
  facts?: { pid?: number };
  trace?: string[];
}

/** One process: starts or resumes the run, and prints how that ended. */
export async function runProcess(
  how: 'start' | 'resume',
  { workspace, side }: Place,
  env: Record<string, string> = {},
): Promise<Outcome> {
  const file = builtProgram(fileURLToPath(new URL('./programs/crash-run.ts', import.meta.url)));
  const child = spawn(process.execPath, [file, how, workspace, side], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const signal = await new Promise<string | null>((resolve) => child.once('close', (_, by) => resolve(by)));
  if (signal === 'SIGKILL') return { status: 'killed' };
  return JSON.parse(text) as Outcome;
}

/** Carries the run through to its end, with whatever processes it takes; approves what is asked. */
export async function driveRun(place: Place, killAt: string | null): Promise<{ last: Outcome; killed: boolean }> {
  let killed = killAt === null;
  let how: 'start' | 'resume' = 'start';
  for (let processes = 0; processes < 8; processes++) {
    const last = await runProcess(how, place, killed ? {} : { KILL_AT: killAt! });
    if (last.status === 'killed') killed = true;
    else if (last.code === 'RUN_NOT_FOUND') {
      // It was killed before it had begun: there is nothing to resume.
      fs.rmSync(place.runFolder, { recursive: true });
      how = 'start';
      continue;
    } else if (last.status !== 'waiting') return { last, killed };
    how = 'resume';
    for (const { request } of await pendingApprovals(place.workspace)) {
      await decideApproval(place.workspace, request.approval_id, 'approved');
    }
  }
  throw new Error('the run does not end');
}
