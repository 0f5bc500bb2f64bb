import { setTimeout as pause } from 'node:timers/promises';
import { isOutOfDescriptors, isRunning, type ProcessStat, pollUntil, readProcessStat } from '../../files/index.ts';
import { adoptedChildren, orphansCollected } from './orphans.ts';
import { hasEnvironmentEntry, listChildren } from './proc.ts';
import { carriesTag, isStray } from './session-tag.ts';
import { listCandidates } from './strangers.ts';

/** Name of the variable every process of a run carries; its value is random per attempt. */
export const MARKER_VARIABLE = 'TACHO_MARKER';

/** This often quickly, against one that forks and exits; then now and then: on a starved machine a killed process stays a while. */
const QUICK_KILL_ROUNDS = 50;
/** One that waits for a dead disk does not die at all. */
const KILL_TIMEOUT_MS = 20_000;
const NEAR_ROUNDS = 20;
const POLL_INTERVAL_MS = 10;
const MAX_SEARCH_INTERVAL_MS = 200;
const SEARCH_TIMEOUT_MS = 30_000;

/** What belongs to a run: its first process, and whatever came from it. */
export interface TreeIdentity {
  leader: number;
  leaderStartTime: string;
  marker: string;
  /** This process runs nothing else: whatever it adopts is of this tree, even with its environment cleared. */
  exclusive: boolean;
  /** A process that must outlive the tree, such as its tracer. */
  spare?: () => number | null;
  /** Whether there is a program yet that could act on a signal; not given, there is. */
  hasBegun?: () => boolean;
  /** A shell, and what it is held in; not given, the leader. Neither is part of the commands it runs. */
  shell?: readonly number[];
}

/** In the middle of an exec a process shows no environment; one that shows none for longer has none to show. */
const EXEC_MS = 100;

/**
 * Asks, as often as one likes, whether orphans of this tree that we adopted are left. Cheap, for the wait at the end of
 * every command.
 */
export function watchSurvivors(tree: TreeIdentity): () => boolean {
  const doubtedSince = new Map<number, number>();
  /** Waits for a process in an exec rather than miss it, but not for everybody's orphans that cleared their environment. */
  const isDoubtful = (pid: number): boolean => {
    const since = doubtedSince.get(pid) ?? performance.now();
    doubtedSince.set(pid, since);
    return performance.now() - since < EXEC_MS;
  };
  return () => {
    const spared = tree.spare?.() ?? null;
    return adoptedChildren().some((pid) => {
      const process = pid === spared ? null : readProcessStat(pid);
      if (!process) return false;
      const ours = tree.exclusive || belongs(process, tree);
      return ours === 'unknown' ? isDoubtful(pid) : ours;
    });
  };
}

/**
 * Every live process of the tree: descendants of its leader, its session, and whatever carries its marker or its tag,
 * so that neither `setsid` nor a double fork nor an empty environment gets out. `foreign` carries what is known from one
 * call to the next.
 */
export function members(tree: TreeIdentity, foreign: Foreign = new Set()): ProcessStat[] {
  const spared = tree.spare?.() ?? null;
  const candidates = listCandidates(tree.leaderStartTime);
  const all = candidates.filter(({ zombie, pid }) => !zombie && pid !== spared && pid !== process.pid);
  const inside = new Set<number>();
  for (const process of all) if (belongs(process, tree, foreign) === true) inside.add(process.pid);
  if (tree.exclusive) for (const pid of adoptedChildren()) inside.add(pid);
  for (let grown = true; grown; ) {
    grown = false;
    for (const process of all) {
      if (!inside.has(process.pid) && inside.has(process.parent)) {
        inside.add(process.pid);
        grown = true;
      }
    }
  }
  return all.filter((process) => inside.has(process.pid));
}

/** Every live process below the leader, and orphans of it that came to us. */
export function descendants({ leader, marker, spare }: TreeIdentity): ProcessStat[] {
  const spared = spare?.() ?? null;
  const found: ProcessStat[] = [];
  const open = [...listChildren(leader)];
  for (const pid of adoptedChildren()) {
    if (carriesMark(pid, marker) === true) open.push(pid);
  }
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const process = readProcessStat(pid);
    if (!process || process.zombie || pid === spared) continue;
    found.push(process);
    open.push(...listChildren(pid));
  }
  return found;
}

/** Processes that carry another mark or none, by pid and start time: it stays so. */
export type Foreign = Set<string>;

function belongs(process: ProcessStat, tree: TreeIdentity, foreign: Foreign = new Set()): boolean | 'unknown' {
  if (process.pid === tree.leader) return process.startTime === tree.leaderStartTime;
  if (process.session === tree.leader && !isRecycled(tree)) return true;
  if (isStray(process, tree.marker)) return true;
  const name = `${process.pid} ${process.startTime}`;
  if (foreign.has(name)) return false;
  const marked = carriesMark(process.pid, tree.marker);
  if (marked === false) foreign.add(name);
  return marked;
}

/** Whether a process has the marker in its environment, or its tag; `unknown` when neither can be told. */
export function carriesMark(pid: number, marker: string): boolean | 'unknown' {
  return carriesTag(pid, marker) || hasEnvironmentEntry(pid, `${MARKER_VARIABLE}=${marker}`);
}

/** The leader's pid now names another process, so a session of that number is not ours. */
function isRecycled(tree: TreeIdentity): boolean {
  const leader = readProcessStat(tree.leader);
  return leader !== null && leader.startTime !== tree.leaderStartTime;
}

/** Sends a signal to every process of the tree; the number it reached. */
export function signalTree(tree: TreeIdentity, signal: NodeJS.Signals): number {
  return signalProcesses(members(tree), signal);
}

export function signalProcesses(processes: readonly ProcessStat[], signal: NodeJS.Signals): number {
  let reached = 0;
  for (const process of processes) if (signalProcess(process, signal)) reached++;
  return reached;
}

/** SIGTERM, a grace, then SIGKILL until nothing is left; resolves with the number of processes it found. */
export async function endTree(tree: TreeIdentity, graceMs: number): Promise<number> {
  const foreign: Foreign = new Set();
  await pollUntil(() => tree.hasBegun?.() ?? true, { everyMs: POLL_INTERVAL_MS, timeoutMs: graceMs });
  return await endProcesses(
    () => members(tree, foreign),
    graceMs,
    () => descendants(tree),
  );
}

/**
 * The same after the leader's end. What it left are then orphans that we adopted, or come from one: where there is none,
 * there is no need to look at every process of the machine.
 */
export async function endOrphans(tree: TreeIdentity, graceMs: number): Promise<number> {
  return adoptedChildren().length === 0 ? 0 : await endTree(tree, graceMs);
}

/**
 * The same for whatever `find` finds. To find looks at every process of the machine, so between two looks those that
 * are known are watched, and the looks become rarer while they stay. One that forks and exits again and again is gone
 * before such a look is over; `findNear` is quick enough to catch it.
 */
export async function endProcesses(
  find: () => ProcessStat[],
  graceMs: number,
  findNear: () => ProcessStat[] = () => [],
): Promise<number> {
  const search = retrying(find);
  const found = signalProcesses(await search(), 'SIGTERM');
  if (found === 0) return 0;
  // A stopped process acts on SIGTERM only when it runs again.
  let known = await search();
  signalProcesses(known, 'SIGCONT');
  const deadline = performance.now() + graceMs;
  // Looking takes a while: one that forks and exits meanwhile is not seen, and neither is its child. Two looks in a row
  // that see nothing are believed, when no orphan died meanwhile.
  let nothingSeen = 0;
  let searchInterval = POLL_INTERVAL_MS;
  let searchAt = performance.now() + searchInterval;
  for (let killRounds = 0; nothingSeen < 2; ) {
    await pause(killRounds < QUICK_KILL_ROUNDS ? POLL_INTERVAL_MS : MAX_SEARCH_INTERVAL_MS);
    const now = performance.now();
    if (killRounds >= QUICK_KILL_ROUNDS && now >= deadline + KILL_TIMEOUT_MS) break;
    const killing = now >= deadline;
    if (!killing && now < searchAt && known.some(isLeft)) continue;
    // Not at first: a leader whose children are gone could end by itself, and not as it was ended.
    if (killRounds > 0)
      for (let round = 0; round < NEAR_ROUNDS; round++) if (signalProcesses(findNear(), 'SIGKILL') === 0) break;
    const collected = orphansCollected();
    known = await search();
    if (killing) signalProcesses(known, 'SIGKILL');
    nothingSeen = known.length === 0 && collected === orphansCollected() ? nothingSeen + 1 : 0;
    if (killing) killRounds++;
    searchInterval = Math.min(MAX_SEARCH_INTERVAL_MS, searchInterval * 2);
    searchAt = performance.now() + searchInterval;
  }
  return found;
}

/** Without a free descriptor nothing can be found for a while. */
function retrying(find: () => ProcessStat[]): () => Promise<ProcessStat[]> {
  const look = (): { processes: ProcessStat[] } | null => {
    try {
      return { processes: find() };
    } catch (error) {
      if (isOutOfDescriptors(error)) return null;
      throw error;
    }
  };
  return async () => {
    const found = await pollUntil(look, { everyMs: MAX_SEARCH_INTERVAL_MS, timeoutMs: SEARCH_TIMEOUT_MS });
    return found?.processes ?? find();
  };
}

function isLeft({ pid, startTime }: ProcessStat): boolean {
  try {
    return isRunning({ pid, startTime });
  } catch {
    return true; // It could not be read; the next search says more.
  }
}

function signalProcess(target: ProcessStat, signal: NodeJS.Signals): boolean {
  // The pid may have been given to another process since we listed it.
  if (readProcessStat(target.pid)?.startTime !== target.startTime) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false; // Gone meanwhile, or not ours to signal.
  }
}
