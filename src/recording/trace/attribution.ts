import type { TracedWrite, TraceSummary } from '../../protocol/index.ts';
import type { Peek } from './choose-first.ts';
import { createProcessTable, type Task, type TracedProcess } from './process-table.ts';
import { collectTraceDiagnostics, describeTraceDiagnostic, type ReportTraceDiagnostic } from './trace-diagnostic.ts';
import { createTraceReader } from './trace-reader.ts';
import { EXEC_CALLS, FORK_CALLS, SESSION_CALL, WRITE_CALLS } from './traced-calls.ts';
import type { TracedStream } from './traced-stream.ts';
import { createWriteOrder } from './write-order.ts';
import { writeTarget } from './written-bytes.ts';

export interface AttributionOptions {
  /** Device of the terminal that carries stdout, e.g. `/dev/pts/3`; also the meaning of `/dev/tty`. */
  stdout: string;
  /** Device of the terminal that carries stderr. */
  stderr: string;
  /** The recorded bytes, which determine the order of concurrent writes. */
  peek?: Peek;
  /** Called for each write once its position is certain, in the order of the writes. */
  onWrite(write: TracedWrite): void;
}

/** The author of a write. */
interface Author {
  task: Task;
  /** What its process ran at the time; null if its parent was not known then. */
  command: string | null;
}

/** Determines who wrote which bytes, from a trace of processes whose stdout and stderr are two terminals. */
export interface Attribution {
  push(trace: Uint8Array): void;
  /** More bytes were recorded: pending writes may have a position now. */
  settle(): void;
  /** The trace and the recording are complete. */
  end(): void;
  readonly processes: readonly TracedProcess[];
  readonly tracedBytes: Readonly<Record<TracedStream, number>>;
  report: ReportTraceDiagnostic;
  /** The facts for `meta.N.json`; `recordedBytes` counts both streams. */
  summary(recordedBytes: number): TraceSummary;
}

export function createAttribution({ stdout, stderr, peek, onWrite }: AttributionOptions): Attribution {
  const diagnostics = collectTraceDiagnostics();
  const processes = createProcessTable();
  const tracedBytes: Record<TracedStream, number> = { stdout: 0, stderr: 0 };
  let writes = 0;

  const order = createWriteOrder<Author>({
    peek,
    report: diagnostics.report,
    isHeld: ({ task }) => !task.settled,
    place({ call, stream, author: { task, command } }, byte_from, byte_to) {
      writes++;
      tracedBytes[stream] += byte_to - byte_from;
      onWrite({
        time: call.time ?? 0,
        pid: task.process.pid,
        command: command ?? task.process.command,
        stream,
        byte_from,
        byte_to,
      });
    },
  });

  /** The pending write of each task. */
  const underWay = new Map<number, ReturnType<typeof order.begin>>();

  function streamOf(device: string | null | undefined, pid: number): TracedStream | null {
    if (device === stdout) return 'stdout';
    if (device === stderr) return 'stderr';
    return device === '/dev/tty' && processes.taskOf(pid).sharesTerminal ? 'stdout' : null;
  }

  const reader = createTraceReader({
    wanted: isWanted,
    entered(call) {
      processes.entered(call);
      if (!WRITE_CALLS.has(call.name)) return;
      const stream = streamOf(writeTarget(call)?.path, call.pid);
      if (stream === null) return;
      const task = processes.taskOf(call.pid);
      const author = { task, command: task.settled ? task.process.command : null };
      underWay.set(call.pid, order.begin(call, stream, author));
    },
    returned(call, result) {
      const write = underWay.get(call.pid);
      if (write?.call !== call) {
        processes.returned(call, result);
        // A fork that returned may have revealed a writer's parent.
        order.settle();
        return;
      }
      underWay.delete(call.pid);
      // A call to be restarted (`? ERESTARTSYS`) wrote nothing and is traced again; a bare `?` means that the process
      // died in it.
      const died = result.value === null && result.error === null;
      order.finish(write, died ? null : Math.max(0, result.value ?? 0));
    },
    exited: (pid, _time, exit) => processes.exited(pid, exit),
    superseded: processes.superseded,
    report: diagnostics.report,
  });

  return {
    push: reader.push,
    settle: order.settle,
    end() {
      reader.end();
      order.end();
    },
    processes: processes.processes,
    tracedBytes,
    report: diagnostics.report,
    summary(recordedBytes) {
      const traced = tracedBytes.stdout + tracedBytes.stderr;
      return {
        traced_bytes: traced,
        recorded_bytes: recordedBytes,
        coverage: recordedBytes === 0 ? 1 : traced / recordedBytes,
        processes: processes.processes.length,
        writes,
        diagnostics: diagnostics.list().map(describeTraceDiagnostic),
      };
    },
  };
}

// Only writes to paths in /dev are parsed; programs write to pipes and files far more often than to terminals.
function isWanted(name: string, line: string, argumentsAt: number): boolean {
  const shape = WRITE_CALLS.get(name);
  if (!shape) return FORK_CALLS.has(name) || EXEC_CALLS.has(name) || name === SESSION_CALL;
  if (shape.target > 0 || argumentsAt === line.length) return true;
  let at = argumentsAt;
  while (line.charCodeAt(at) >= 0x30 && line.charCodeAt(at) <= 0x39) at++;
  return line.startsWith('</dev/', at);
}
