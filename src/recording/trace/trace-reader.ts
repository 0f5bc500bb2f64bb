import { type CallResult, parseTraceLine, type Wanted } from './strace-line.ts';
import type { ReportTraceDiagnostic } from './trace-diagnostic.ts';

/** A system call; the same object is passed again when the call returns. */
export interface TraceCall {
  pid: number;
  time: number | null;
  name: string;
  args: string[];
}

export interface ProcessExit {
  code: number | null;
  signal: string | null;
}

/** The events of a trace, in its own order. Overlapping calls start and return in the order that the tracer saw. */
export interface TraceEvents {
  wanted: Wanted;
  entered(call: TraceCall): void;
  returned(call: TraceCall, result: CallResult): void;
  exited(pid: number, time: number | null, exit: ProcessExit): void;
  /** A thread (`by`) replaced its process with another program and continues under the process's number. */
  superseded(pid: number, by: number): void;
  report: ReportTraceDiagnostic;
}

export interface TraceReader {
  push(bytes: Uint8Array): void;
  /** No more bytes follow. */
  end(): void;
}

// The longest line that a tracer prints for us: 65,536 bytes as octal escapes, several times for writev.
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const DIED: CallResult = { value: null, error: null, text: '?' };
const REPLACED: CallResult = { value: 0, error: null, text: '0' };

/** Reads a trace incrementally, cut anywhere, and joins calls that were printed in two parts. */
export function createTraceReader(events: TraceEvents): TraceReader {
  let carry = '';
  let dropping = false;
  let lineNumber = 0;
  /** The pending call of each process; null for one that is not wanted. */
  const underWay = new Map<number, TraceCall | null>();

  function readLine(line: string): void {
    lineNumber++;
    if (line === '') return;
    const parsed = parseTraceLine(line, events.wanted);
    switch (parsed.kind) {
      case 'call':
        if (underWay.size > 0) abandon(parsed.pid);
        events.entered(parsed);
        events.returned(parsed, parsed.result);
        return;
      case 'unfinished':
        abandon(parsed.pid);
        underWay.set(parsed.pid, parsed);
        events.entered(parsed);
        return;
      case 'resumed': {
        const call = underWay.get(parsed.pid);
        if (call === null) {
          underWay.delete(parsed.pid);
        } else if (call?.name === parsed.name) {
          underWay.delete(parsed.pid);
          events.returned(call, parsed.result);
        } else {
          events.report('CALL_WITHOUT_START', `Process ${parsed.pid}, ${parsed.name}.`, lineNumber);
        }
        return;
      }
      case 'skipped':
        if (underWay.size > 0) abandon(parsed.pid);
        if (parsed.unfinished) underWay.set(parsed.pid, null);
        return;
      case 'exit': {
        const call = underWay.get(parsed.pid);
        underWay.delete(parsed.pid);
        if (call) events.returned(call, DIED);
        events.exited(parsed.pid, parsed.time, { code: parsed.code, signal: parsed.signal });
        return;
      }
      case 'superseded': {
        const call = underWay.get(parsed.by);
        underWay.delete(parsed.by);
        events.superseded(parsed.pid, parsed.by);
        if (!call) return;
        // The program was executed, otherwise no thread would be superseded. The printed return of the call is ignored:
        // with a seccomp filter, strace 6.1 prints the next call's return for it.
        underWay.set(parsed.pid, null);
        call.pid = parsed.pid;
        events.returned(call, REPLACED);
        return;
      }
      case 'signal':
      case 'dump':
        return;
      case 'message':
        events.report('TRACER_MESSAGE', parsed.text.slice(0, 200), lineNumber);
        return;
      case 'unreadable':
        events.report('LINE_UNREADABLE', `${parsed.reason}: ${JSON.stringify(line.slice(0, 80))}.`, lineNumber);
        return;
    }
  }

  /** A process can only be in one call; a second start means that the end of the first one was lost. */
  function abandon(pid: number): void {
    const lost = underWay.get(pid);
    if (lost === undefined) return;
    underWay.delete(pid);
    if (lost === null) return;
    events.report('CALL_WITHOUT_END', `Process ${pid}, ${lost.name}.`, lineNumber);
    events.returned(lost, DIED);
  }

  function keepPartOfLine(text: string): void {
    if (dropping) return;
    carry += text;
    if (carry.length <= MAX_LINE_BYTES) return;
    events.report('LINE_TOO_LONG', `More than ${MAX_LINE_BYTES} bytes.`, lineNumber + 1);
    carry = '';
    dropping = true;
  }

  return {
    push(bytes) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        if (dropping) lineNumber++;
        else readLine(carry === '' ? text.slice(start, end) : carry + text.slice(start, end));
        carry = '';
        dropping = false;
        start = end + 1;
      }
      if (start < text.length) keepPartOfLine(start === 0 ? text : text.slice(start));
    },
    end() {
      const rest = carry;
      carry = '';
      // An exit line has its own terminator; the number that a call returned may lack digits.
      if (rest.endsWith(' +++')) readLine(rest);
      else if (rest !== '') events.report('LINE_CUT', JSON.stringify(rest.slice(0, 80)), lineNumber + 1);
      for (const pid of [...underWay.keys()]) abandon(pid);
    },
  };
}
