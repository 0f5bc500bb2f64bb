import { commandText } from './command-text.ts';
import type { CallResult } from './strace-line.ts';
import type { ProcessExit, TraceCall } from './trace-reader.ts';
import { EXEC_CALLS, FORK_CALLS, SESSION_CALL } from './traced-calls.ts';

/** A process of the traced tree, without its threads. */
export interface TracedProcess {
  pid: number;
  /** Null for the first process, and if the trace does not show the fork. */
  parent: number | null;
  /** Program and arguments, shortened; a child has its parent's until it executes another program. */
  command: string;
  exit: ProcessExit | null;
}

/** A thread, as numbered in the process column of a trace. */
export interface Task {
  process: TracedProcess;
  /** False while several forks are pending and its parent is not known yet. */
  settled: boolean;
  /** True if `/dev/tty` is the terminal that the first process was started on. */
  sharesTerminal: boolean;
}

export interface ProcessTableHooks {
  /** A task appeared; called before its first call is processed. `flags` are the flags of its fork. */
  born?(tid: number, parent: number | null, flags: string): void;
  /** A task was assigned to the wrong parent. */
  misplaced?(tid: number): void;
}

/** Tracks the parent and the program of each process. */
export function createProcessTable({ born, misplaced }: ProcessTableHooks = {}) {
  const tasks = new Map<number, Task>();
  const processes: TracedProcess[] = [];
  const ranProgram = new WeakSet<TracedProcess>();
  /** Forks that have not returned yet, oldest first, with the child assigned to each; it may be gone already. */
  const forking = new Map<TraceCall, { tid: number; task: Task } | null>();

  /** The task with that number; a new one is the child of a pending fork, if there is one. */
  function taskOf(tid: number): Task {
    const known = tasks.get(tid);
    if (known) return known;
    const uncertain = [...forking].filter(([fork, child]) => fork.pid !== tid && !child?.task.settled);
    const fork = uncertain.find(([, child]) => child === null)?.[0];
    if (!fork) return add(tid, null, '');
    const task = add(tid, fork.pid, fork.args.join());
    task.settled = uncertain.length === 1;
    forking.set(fork, { tid, task });
    return task;
  }

  function add(tid: number, parentTid: number | null, flags: string): Task {
    const parent = parentTid === null ? null : taskOf(parentTid);
    const task: Task = {
      process: parent && isThread(flags) ? parent.process : addProcess(tid, parent?.process ?? null),
      settled: true,
      sharesTerminal: parent?.sharesTerminal ?? true,
    };
    tasks.set(tid, task);
    born?.(tid, parentTid, flags);
    return task;
  }

  function addProcess(pid: number, parent: TracedProcess | null): TracedProcess {
    const process = { pid, parent: parent?.pid ?? null, command: parent?.command ?? '', exit: null };
    processes.push(process);
    return process;
  }

  function forked(call: TraceCall, result: CallResult): void {
    const taken = forking.get(call) ?? null;
    forking.delete(call);
    if (result.value === null || result.value <= 0) return;
    const child = childOf(result);
    const mistaken = [...forking].find(([, other]) => other?.tid === child);
    const early = tasks.get(child) ?? (taken?.tid === child ? taken : mistaken?.[1])?.task;
    if (!early) {
      add(child, call.pid, call.args.join());
      return;
    }
    early.settled = true;
    // It appeared first and was assigned to another fork; that fork gets the one that was assigned to ours.
    if (mistaken) forking.set(mistaken[0], taken);
    rehome(child, early, call);
  }

  /** Moves a task to its parent once that is certain. */
  function rehome(tid: number, task: Task, fork: TraceCall): void {
    const parent = taskOf(fork.pid).process;
    const { process } = task;
    const isProcess = process.pid === tid;
    if (isThread(fork.args.join())) {
      if (process === parent) return;
      if (isProcess) processes.splice(processes.indexOf(process), 1);
      task.process = parent;
    } else if (isProcess) {
      if (process.parent === parent.pid) return;
      process.parent = parent.pid;
      if (!ranProgram.has(process)) process.command = parent.command;
    } else {
      task.process = addProcess(tid, parent);
    }
    misplaced?.(tid);
  }

  return {
    taskOf,
    processes,
    entered(call: TraceCall): void {
      taskOf(call.pid);
      if (FORK_CALLS.has(call.name)) forking.set(call, null);
    },
    returned(call: TraceCall, result: CallResult): void {
      if (FORK_CALLS.has(call.name)) {
        forked(call, result);
      } else if (EXEC_CALLS.has(call.name) && result.value === 0) {
        const task = taskOf(call.pid);
        task.process.command = commandText(call);
        task.settled = true;
        ranProgram.add(task.process);
      } else if (call.name === SESSION_CALL && (result.value ?? -1) > 0) {
        const task = taskOf(call.pid);
        if (task.process !== processes[0]) task.sharesTerminal = false;
      }
    },
    exited(tid: number, exit: ProcessExit): void {
      const { process } = taskOf(tid);
      if (process.pid === tid) process.exit = exit;
      tasks.delete(tid);
    },
    superseded(pid: number, by: number): void {
      taskOf(pid);
      tasks.delete(by);
    },
  };
}

function isThread(flags: string): boolean {
  return flags.includes('CLONE_THREAD');
}

/** The child's number as the tracer counts; in another pid namespace the call returned a different one. */
function childOf({ value, text }: CallResult): number {
  const translated = / \/\* (\d+) in strace's PID NS \*\//.exec(text);
  return translated ? Number(translated[1]) : (value as number);
}
