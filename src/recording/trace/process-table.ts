import { commandText } from './command-text.ts';
import type { CallResult } from './strace-line.ts';
import type { ProcessExit, TraceCall } from './trace-reader.ts';
import { EXEC_CALLS, FORK_CALLS, SESSION_CALL } from './traced-calls.ts';

/** A process of the traced tree; its threads are not listed. */
export interface TracedProcess {
  pid: number;
  /** Null for the first process and for one whose fork the trace does not show. */
  parent: number | null;
  /** Program and arguments, shortened; a child has its parent's until it runs a program of its own. */
  command: string;
  exit: ProcessExit | null;
}

/** A thread of execution: what the process column of a trace numbers. */
export interface Task {
  process: TracedProcess;
  /** False while several forks are under way and it is not known yet whose child this is. */
  settled: boolean;
  /** True when `/dev/tty` means the terminal the first process was started on. */
  sharesTerminal: boolean;
}

export interface ProcessTableHooks {
  /** A task appeared, before its first call is looked at. `flags` is what the fork was called with. */
  born?(tid: number, parent: number | null, flags: string): void;
  /** A task was taken for another one's child than it turned out to be. */
  misplaced?(tid: number): void;
}

/** Follows who started whom, and what each process runs. */
export function createProcessTable({ born, misplaced }: ProcessTableHooks = {}) {
  const tasks = new Map<number, Task>();
  const processes: TracedProcess[] = [];
  const ranProgram = new WeakSet<TracedProcess>();
  /** Forks that have not returned yet, oldest first, with the child that was taken for theirs; it may be gone again. */
  const forking = new Map<TraceCall, { tid: number; task: Task } | null>();

  /** The task of that number; one never seen before is the child of a fork still under way, if there is one. */
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
    // It came first and was taken for another fork's; that fork gets the one that was taken for ours.
    if (mistaken) forking.set(mistaken[0], taken);
    rehome(child, early, call);
  }

  /** Puts a task where it belongs, now that its parent is known for certain. */
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

/** The child's number as the tracer counts; in a process namespace of its own the call returned another. */
function childOf({ value, text }: CallResult): number {
  const translated = / \/\* (\d+) in strace's PID NS \*\//.exec(text);
  return translated ? Number(translated[1]) : (value as number);
}
