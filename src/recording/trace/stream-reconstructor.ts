import { type Descriptor, readDescriptor } from './call-arguments.ts';
import { DescriptorTable, isTerminalPath } from './descriptor-table.ts';
import { createProcessTable } from './process-table.ts';
import type { CallResult } from './strace-line.ts';
import { collectTraceDiagnostics, type TraceDiagnostic } from './trace-diagnostic.ts';
import { createTraceReader, type TraceCall } from './trace-reader.ts';
import { DESCRIPTOR_CALLS, EXEC_CALLS, FORK_CALLS, WRITE_CALLS } from './traced-calls.ts';
import { createWriteSorter, type ReconstructedWrite, type WriteOrigin } from './write-sorter.ts';
import { writeTarget, writtenBytes } from './written-bytes.ts';

/** Separates a trace recorded on one terminal into the streams that the program wrote. Reads it incrementally. */
export function createStreamReconstructor(emit: (write: ReconstructedWrite) => void) {
  const diagnostics = collectTraceDiagnostics();
  const tables = new Map<number, DescriptorTable>();
  const sorter = createWriteSorter({ emit, report: diagnostics.report });
  /** The target of the pending write of each task. */
  const targets = new Map<number, { call: TraceCall; fd: number } & WriteOrigin>();
  /** The terminals that the trace was recorded on; programs may open others for their own children. */
  const terminals = new Set<string>();
  const otherTerminals = new Set<string>();

  const processes = createProcessTable({
    born(tid, parent, flags) {
      const inherited = parent === null ? undefined : tables.get(parent);
      const isShared = flags.includes('CLONE_FILES');
      const own = inherited?.copy() ?? DescriptorTable.standard({ isFirst: processes.processes.length === 1 });
      tables.set(tid, inherited && isShared ? inherited : own);
    },
    misplaced(tid) {
      diagnostics.report('PARENT_GUESSED', `Process ${tid}.`);
    },
  });

  const reader = createTraceReader({
    wanted: (name) =>
      WRITE_CALLS.has(name) || DESCRIPTOR_CALLS.has(name) || FORK_CALLS.has(name) || EXEC_CALLS.has(name),
    entered(call) {
      processes.entered(call);
      learnTerminals(call);
      const target = writeTarget(call);
      if (target && goesToTerminal(target, call.pid)) {
        const table = tableOf(call.pid);
        const file = table.fileOf(target);
        // `/dev/tty` is the terminal itself; if nothing else is known, it counts as the program's output.
        const unknown = target.path === '/dev/tty' ? 'stdout' : null;
        targets.set(call.pid, { call, fd: target.fd, table, file, stream: table.streamOf(target.fd) ?? unknown });
      }
    },
    returned(call, result) {
      processes.returned(call, result);
      if (DESCRIPTOR_CALLS.has(call.name)) changeDescriptors(call, result);
      else if (EXEC_CALLS.has(call.name) && result.value === 0) replaceProgram(call.pid);
      else written(call, result);
    },
    exited(pid, _time, exit) {
      processes.exited(pid, exit);
      tables.delete(pid);
    },
    superseded(pid, by) {
      processes.superseded(pid, by);
      tables.delete(by);
    },
    report: diagnostics.report,
  });

  function tableOf(tid: number): DescriptorTable {
    return tables.get(tid) as DescriptorTable;
  }

  function changeDescriptors(call: TraceCall, result: CallResult): void {
    if (call.args[2]?.includes('CLOSE_RANGE_UNSHARE')) tables.set(call.pid, tableOf(call.pid).copy());
    tableOf(call.pid).apply(call, result);
  }

  /** Threads share their descriptors until one of them executes another program, which ends the others. */
  function replaceProgram(tid: number): void {
    const table = tableOf(tid).copy();
    table.exec();
    tables.set(tid, table);
  }

  function goesToTerminal(target: Descriptor, tid: number): boolean {
    if (target.path === null) return tableOf(tid).fileOf(target).isTerminal;
    if (!isTerminalPath(target.path)) return false;
    if (target.path === '/dev/tty') return true;
    if (terminals.size === 0) terminals.add(target.path);
    if (terminals.has(target.path)) return true;
    if (!otherTerminals.has(target.path)) diagnostics.report('OTHER_TERMINAL', `${target.path}.`);
    otherTerminals.add(target.path);
    return false;
  }

  function learnTerminals(call: TraceCall): void {
    for (const argument of call.args.slice(0, 2)) {
      if (!argument.includes('</dev/pts/')) continue;
      const descriptor = readDescriptor(argument);
      if (descriptor?.path && tableOf(call.pid).fileOf(descriptor).isInherited) terminals.add(descriptor.path);
    }
  }

  function written(call: TraceCall, result: CallResult): void {
    const target = targets.get(call.pid);
    targets.delete(call.pid);
    if (target?.call !== call || result.value === null || result.value <= 0) return;
    const { bytes, missing } = writtenBytes(call, result.value);
    if (missing > 0) {
      diagnostics.report('BYTES_MISSING', `Process ${call.pid}, ${call.name}: ${missing} of ${result.value}.`);
    }
    sorter.add({ time: call.time, pid: call.pid, fd: target.fd, bytes, missing }, target);
  }

  return {
    push: reader.push,
    end(): TraceDiagnostic[] {
      reader.end();
      sorter.end();
      return diagnostics.list();
    },
  };
}
