import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bubblewrapArguments } from './bubblewrap.ts';
import { lookAt } from './look.ts';
import { planSandbox } from './plan.ts';

/** Where bubblewrap is, or why it is of no use here. */
export type Probed = { program: string } | { why: string };

const PATIENCE_MS = 10_000;
const probed = new Map<string, Promise<Probed>>();

/** Found by running a program in a sandbox; once for each kind of network, because one may work and the other not. */
export function probeBubblewrap(network: 'off' | 'on', searched = process.env.PATH ?? ''): Promise<Probed> {
  const key = `${network} ${searched}`;
  const answer = probed.get(key) ?? tryBubblewrap(network, searched);
  probed.set(key, answer);
  return answer;
}

async function tryBubblewrap(network: 'off' | 'on', searched: string): Promise<Probed> {
  const program = searched
    .split(':')
    .map((folder) => path.resolve(folder, 'bwrap'))
    .find((file) => fs.existsSync(file));
  if (!program) return { why: 'bubblewrap is not installed (no bwrap on PATH)' };
  const planned = planSandbox(
    { network, workspace: 'read', read: [], write: [], hide: [] },
    { workspace: '/usr', cwd: '/usr', environment: {} },
    lookAt,
  );
  if ('why' in planned) return planned;
  return await new Promise((resolve) => {
    const argv = [...bubblewrapArguments(planned.plan), '/bin/sh', '-c', ':'];
    execFile(program, argv, { timeout: PATIENCE_MS, env: {} }, (error, _stdout, stderr) => {
      resolve(error ? { why: `bubblewrap does not work here: ${stderr.trim() || error.message}` } : { program });
    });
  });
}
