import { setTimeout as pause } from 'node:timers/promises';
import { isOutOfDescriptors, isRunning, type ProcessStat, pollUntil, readProcessStat } from '../../files/index.ts';
import { listCandidates } from './candidates.ts';
import { adoptedChildren, orphansCollected } from './orphans.ts';
import { hasEnvironmentEntry, listChildren } from './proc.ts';
import { carriesTag, isStray } from './session-tag.ts';

/** Name of the variable that every process of a run has; its value is random per attempt. */
export const MARKER_VARIABLE = 'TACHO_MARKER';

/**
 * Number of quick rounds, against a process that forks and exits; then slower ones: on an overloaded machine a killed
 * process takes a while to go.
 */
const QUICK_KILL_ROUNDS = 50;
/** A process that waits for a dead disk never dies. */
const KILL_TIMEOUT_MS = 20_000;
const NEAR_ROUNDS = 20;
const POLL_INTERVAL_MS = 10;
const MAX_SEARCH_INTERVAL_MS = 200;
const SEARCH_TIMEOUT_MS = 30_000;

/** Identifies the processes of a run: the first one, and all its descendants. */
export interface TreeIdentity {
  leader: number;
  leaderStartTime: string;
  marker: string;
  /**
   * This process runs nothing else: all orphans that it adopts belong to this tree, even with a cleared environment.
   */
  exclusive: boolean;
  /** A process that must outlive the tree, such as its tracer. */
  spare?: () => number | null;
  /** Whether the program is already running and could act on a signal; by default true. */
  hasBegun?: () => boolean;
  /** A shell and the processes that contain it; by default the leader. They do not belong to the commands it runs. */
  shell?: readonly number[];
}

/** During an exec the environment is unreadable; if it stays so for longer, it was cleared. */
const EXEC_MS = 100;

/** Returns a check whether adopted orphans of this tree are left. Cheap, for the wait at the end of every command. */
export function watchSurvivors(tree: TreeIdentity): () => boolean {
  const unknownSince = new Map<number, number>();
  /**
   * Waits for a process in an exec rather than miss it, but not for unrelated orphans that cleared their environment.
   */
  const mayBeInExec = (pid: number): boolean => {
    const since = unknownSince.get(pid) ?? performance.now();
    unknownSince.set(pid, since);
    return performance.now() - since < EXEC_MS;
  };
  return () => {
    const spared = tree.spare?.() ?? null;
    return adoptedChildren().some((pid) => {
      const process = pid === spared ? null : readProcessStat(pid);
      if (!process) return false;
      const ours = tree.exclusive || belongs(process, tree);
      return ours === 'unknown' ? mayBeInExec(pid) : ours;
    });
  };
}

/**
 * All live processes of the tree: descendants of its leader, its session, and every process with its marker or its tag,
 * so that `setsid`, a double fork or an empty environment do not help to escape. `foreign` caches results between
 * calls.
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

/** All live processes below the leader, and its orphans that we adopted. */
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

/** Processes without this mark, by pid and start time; that never changes. */
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

/** Whether a process has the marker in its environment, or its tag; `unknown` if neither is readable. */
export function carriesMark(pid: number, marker: string): boolean | 'unknown' {
  return carriesTag(pid, marker) || hasEnvironmentEntry(pid, `${MARKER_VARIABLE}=${marker}`);
}

/** The leader's pid was reused, so a session with that number is not ours. */
function isRecycled(tree: TreeIdentity): boolean {
  const leader = readProcessStat(tree.leader);
  return leader !== null && leader.startTime !== tree.leaderStartTime;
}

/** Sends a signal to every process of the tree; returns how many it reached. */
export function signalTree(tree: TreeIdentity, signal: NodeJS.Signals): number {
  return signalProcesses(members(tree), signal);
}

export function signalProcesses(processes: readonly ProcessStat[], signal: NodeJS.Signals): number {
  let reached = 0;
  for (const process of processes) if (signalProcess(process, signal)) reached++;
  return reached;
}

/**
 * Sends SIGTERM, waits for the grace period, then sends SIGKILL until nothing is left; returns the number of processes
 * found.
 */
export async function endTree(tree: TreeIdentity, graceMs: number): Promise<number> {
  const foreign: Foreign = new Set();
  await pollUntil(() => tree.hasBegun?.() ?? true, { everyMs: POLL_INTERVAL_MS, timeoutMs: graceMs });
  const findNear = () => descendants(tree);
  return await endProcesses(() => members(tree, foreign), graceMs, { marker: tree.marker, findNear });
}

/**
 * The same after the leader's exit. All remaining processes are then adopted orphans or their descendants: if there are
 * none, scanning all processes of the machine is not needed.
 */
export async function endOrphans(tree: TreeIdentity, graceMs: number): Promise<number> {
  return adoptedChildren().length === 0 ? 0 : await endTree(tree, graceMs);
}

/**
 * The same for the processes that `find` returns. `find` scans all processes of the machine, so between two scans only
 * known processes are watched, and scans become less frequent while those stay. A process that forks and exits again
 * and again is gone before a scan ends; `findNear` is fast enough to catch it.
 */
export async function endProcesses(
  find: () => ProcessStat[],
  graceMs: number,
  { marker, findNear = () => [] }: { marker?: string; findNear?: () => ProcessStat[] } = {},
): Promise<number> {
  const search = retrying(find);
  const found = signalProcesses(await search(), 'SIGTERM');
  if (found === 0) return 0;
  // A stopped process acts on SIGTERM only after it is continued.
  let known = await search();
  signalProcesses(known, 'SIGCONT');
  const deadline = performance.now() + graceMs;
  // A scan takes a while, and misses a process that forks and exits meanwhile, and its child. Two consecutive scans
  // without a result are enough if no orphan died meanwhile; others adopt the orphans of processes without a marker.
  const enoughSearches = marker === undefined ? 8 : 2;
  let emptySearches = 0;
  let searchInterval = POLL_INTERVAL_MS;
  let searchAt = performance.now() + searchInterval;
  for (let killRounds = 0; emptySearches < enoughSearches; ) {
    await pause(killRounds < QUICK_KILL_ROUNDS ? POLL_INTERVAL_MS : MAX_SEARCH_INTERVAL_MS);
    const now = performance.now();
    if (killRounds >= QUICK_KILL_ROUNDS && (known.length === 0 || now >= deadline + KILL_TIMEOUT_MS)) break;
    const killing = now >= deadline;
    if (!killing && now < searchAt && known.some(isLeft)) continue;
    // Not in the first round: a leader whose children are gone could exit by itself, with another status.
    if (killRounds > 0)
      for (let round = 0; round < NEAR_ROUNDS; round++) if (signalProcesses(findNear(), 'SIGKILL') === 0) break;
    const collected = orphansOf(marker);
    known = await search();
    if (killing) signalProcesses(known, 'SIGKILL');
    emptySearches = known.length === 0 && collected === orphansOf(marker) ? emptySearches + 1 : 0;
    if (killing) killRounds++;
    searchInterval = Math.min(MAX_SEARCH_INTERVAL_MS, searchInterval * 2);
    searchAt = performance.now() + searchInterval;
  }
  return found;
}

/** Processes that belong to no session of ours leave us no orphans. */
function orphansOf(marker: string | undefined): number {
  return marker === undefined ? 0 : orphansCollected(marker);
}

/** Retries, because without a free descriptor nothing can be read for a while. */
function retrying(find: () => ProcessStat[]): () => Promise<ProcessStat[]> {
  const tryFind = (): { processes: ProcessStat[] } | null => {
    try {
      return { processes: find() };
    } catch (error) {
      if (isOutOfDescriptors(error)) return null;
      throw error;
    }
  };
  return async () => {
    const found = await pollUntil(tryFind, { everyMs: MAX_SEARCH_INTERVAL_MS, timeoutMs: SEARCH_TIMEOUT_MS });
    return found?.processes ?? find();
  };
}

function isLeft({ pid, startTime }: ProcessStat): boolean {
  try {
    return isRunning({ pid, startTime });
  } catch {
    return true; // Unreadable; the next search decides.
  }
}

function signalProcess(target: ProcessStat, signal: NodeJS.Signals): boolean {
  // The pid may have been reused since the search.
  if (readProcessStat(target.pid)?.startTime !== target.startTime) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false; // Gone meanwhile, or not permitted.
  }
}
