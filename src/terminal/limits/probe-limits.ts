import { randomUUID } from 'node:crypto';
import type { SessionLimits } from '../../protocol/terminal/index.ts';
import { PipedProgram } from '../piped-program.ts';
import { carriesTag } from '../processes/session-tag.ts';
import { Confinement } from './confinement.ts';
import { findGroupPlace } from './group-places.ts';

export interface Mechanism {
  works: boolean;
  /** Why it does not work; null if it does. */
  why: string | null;
}

/** Each is applied to a program that exits at once. */
const PROBES: Record<string, SessionLimits> = {
  memory_limit: { memory_bytes: 67_108_864 },
  processes_limit: { processes: 16 },
  cpu_limit: { cpu_percent: 100 },
  resource_limits: { cpu_seconds: 10, open_files: 64, file_bytes: 1_048_576 },
  nice: { nice: 1 },
};

let probed: Promise<Record<string, Mechanism>> | null = null;

/** Which limits work here, found by applying them; tried once. */
export function probeLimits(): Promise<Record<string, Mechanism>> {
  probed ??= probe();
  return probed;
}

async function probe(): Promise<Record<string, Mechanism>> {
  const tried = Object.entries(PROBES).map(async ([name, limits]) => [name, await tryLimits(limits)] as const);
  const place = findGroupPlace('tree');
  const kill = { works: place.works, why: place.works ? null : place.why };
  return { ...Object.fromEntries(await Promise.all(tried)), session_tag: await tryTag(), group_kill: kill };
}

async function tryTag(): Promise<Mechanism> {
  const marker = randomUUID();
  const program = await PipedProgram.start({
    argv: ['/bin/cat'],
    cwd: '/',
    env: {},
    marker,
    stdin: 'pipe',
    onOutput: () => {},
  });
  const works = carriesTag(program.pid, marker);
  program.input!.end();
  await program.exited;
  program.close();
  return { works, why: works ? null : 'RLIMIT_LOCKS cannot be set here, or is limited already' };
}

async function tryLimits(limits: SessionLimits): Promise<Mechanism> {
  const marker = randomUUID();
  let confinement: Confinement | null = null;
  try {
    confinement = Confinement.open(limits, marker);
    const program = await PipedProgram.start({
      argv: ['/bin/true'],
      cwd: '/',
      env: {},
      marker,
      stdin: 'empty',
      onOutput: () => {},
      confinement,
    });
    const { exitCode, signal } = await program.exited;
    program.close();
    if (exitCode === 0) return { works: true, why: null };
    return { works: false, why: `a program under it ended with ${signal ?? exitCode}` };
  } catch (error) {
    return { works: false, why: (error as Error).message };
  } finally {
    await confinement?.end();
  }
}
