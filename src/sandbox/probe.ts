import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bubblewrapArguments } from './bubblewrap.ts';
import { lookAt } from './look.ts';
import { planSandbox } from './plan.ts';
import { seccompFile } from './seccomp.ts';

/** The path of bubblewrap, or why it does not work here. */
export type Probed = { program: string; filter: Filter } | { why: string };
/** The file of the system call filter, or why there is none. */
export type Filter = { file: string } | { why: string };

const TIMEOUT_MS = 10_000;
const NOTHING = { environment: {}, textDescriptor: -1 };
const probed = new Map<string, Promise<Probed>>();

/** Found by running a program in a sandbox; once for each network setting, because one may work without the other. */
export function probeBubblewrap(network: 'off' | 'on', searched = process.env.PATH ?? ''): Promise<Probed> {
  const key = `${network} ${searched}`;
  const answer = probed.get(key) ?? tryBubblewrap(network, searched);
  probed.set(key, answer);
  return answer;
}

/** The command line of bubblewrap, with the filter if there is one. */
export function withFilter(
  { program, filter }: { program: string; filter: Filter },
  words: readonly string[],
): string[] {
  // Without the filter a program could inject input into its controlling terminal, so it runs without one.
  if ('why' in filter) return [program, '--new-session', ...words];
  return ['/bin/sh', '-c', 'exec "$@" 9<"$0"', filter.file, program, '--seccomp', '9', ...words];
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
  const words = [...bubblewrapArguments(planned.plan, NOTHING), '--', '/bin/sh', '-c', ':'];
  const file = seccompFile();
  const filtered =
    file === null
      ? `there is none for ${process.arch}`
      : await tryRun(withFilter({ program, filter: { file } }, words));
  if (file !== null && filtered === null) return { program, filter: { file } };
  const filter = { why: filtered! };
  const why = await tryRun(withFilter({ program, filter }, words));
  return why === null ? { program, filter } : { why: `bubblewrap does not work here: ${why}` };
}

/** Null on success. */
function tryRun([program, ...words]: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program!, words, { timeout: TIMEOUT_MS, env: {} }, (error, _stdout, stderr) => {
      resolve(error ? stderr.trim() || error.message : null);
    });
  });
}
