import { scanArguments } from './call-arguments.ts';

/** The result of a call. `value` is null for `?`: the process died in it, or the call will be restarted. */
export interface CallResult {
  value: number | null;
  /** Name of the error, e.g. EAGAIN, or ERESTARTSYS. */
  error: string | null;
  /** Everything after the equals sign, including decorations. */
  text: string;
}

interface At {
  /** 0 if the trace has no process column. */
  pid: number;
  /** Seconds since the epoch, or null if the trace has no such column. */
  time: number | null;
}

/** One line of `strace` output. */
export type TraceLine =
  | (At & { kind: 'call'; name: string; args: string[]; result: CallResult })
  | (At & { kind: 'unfinished'; name: string; args: string[] })
  | (At & { kind: 'resumed'; name: string; result: CallResult })
  /** A call that is not wanted. */
  | (At & { kind: 'skipped'; name: string; unfinished: boolean })
  | (At & { kind: 'exit'; code: number | null; signal: string | null })
  | (At & { kind: 'superseded'; by: number })
  | (At & { kind: 'signal'; signal: string })
  /** Hex dump lines of `-e write=…`: the call already contains the bytes. */
  | { kind: 'dump' }
  | { kind: 'message'; text: string }
  | { kind: 'unreadable'; reason: string };

/** Whether a call should be parsed; `argumentsAt` is the index in `line` of its first argument. */
export type Wanted = (name: string, line: string, argumentsAt: number) => boolean;

const UNFINISHED = ' <unfinished ...>';

/** Parses one line, without its line feed. Returns a value for any text. */
export function parseTraceLine(line: string, wanted: Wanted = () => true): TraceLine {
  if (line.startsWith(' | ')) return { kind: 'dump' };
  const header = readHeader(line);
  const { pid, time, next } = header;
  const first = line.charCodeAt(next);
  if (first === 0x2b && line.startsWith('+++ ', next)) return readEnd(line.slice(next), header);
  if (first === 0x2d && line.startsWith('--- ', next)) {
    return { kind: 'signal', pid, time, signal: line.slice(next + 4).split(' ', 1)[0] as string };
  }
  if (first === 0x3c && line.startsWith('<... ', next)) return readResumed(line, header, wanted);
  const open = nameEnd(line, next);
  if (open === next || line.charCodeAt(open) !== 0x28) return readOther(line, next);

  const name = line.slice(next, open);
  const cut = interruptedAt(line);
  if (!wanted(name, line, open + 1)) return { kind: 'skipped', pid, time, name, unfinished: cut >= 0 };
  if (cut >= 0) {
    const scanned = scanArguments(line.slice(0, cut), open + 1);
    return scanned
      ? { kind: 'unfinished', pid, time, name, args: scanned.args }
      : { kind: 'unreadable', reason: `${name}: a string has no end` };
  }
  const scanned = scanArguments(line, open + 1);
  const result = scanned?.closed ? readResult(line, scanned.end + 1) : null;
  if (!scanned || !result) return { kind: 'unreadable', reason: `${name}: the line ends inside the call` };
  // The process died in the call: `write(1, "x", 1 <unfinished ...>) = ?`.
  const last = scanned.args.length - 1;
  if (last >= 0) scanned.args[last] = (scanned.args[last] as string).replace(UNFINISHED, '');
  return { kind: 'call', pid, time, name, args: scanned.args, result };
}

/** Index of the note that the tracer switched to another process during the call, or -1. */
function interruptedAt(line: string): number {
  if (!line.endsWith(' ...>')) return -1;
  const at = line.lastIndexOf(' <');
  return /^ <(?:unfinished|detached|pid changed to \d+) \.\.\.>$/.test(line.slice(at)) ? at : -1;
}

interface Header extends At {
  /** Index after the columns. */
  next: number;
}

/** The columns before a call: `1234  1700000000.000001 `, `[pid  1234] `, `12:00:00.1 `, or nothing. */
function readHeader(line: string): Header {
  let at = skipSpaces(line, 0);
  let pid = 0;
  let time: number | null = null;
  if (line.startsWith('[pid ', at)) {
    const start = skipSpaces(line, at + 5);
    const end = digitsEnd(line, start);
    if (end > start && line.charCodeAt(end) === 0x5d) {
      pid = Number(line.slice(start, end));
      at = skipSpaces(line, end + 1);
    }
  } else {
    const end = digitsEnd(line, at);
    if (end > at && line.charCodeAt(end) === 0x20) {
      pid = Number(line.slice(at, end));
      at = skipSpaces(line, end);
    }
  }
  let end = digitsEnd(line, at);
  if (end > at && (line.charCodeAt(end) === 0x2e || line.charCodeAt(end) === 0x3a)) {
    // `-ttt` prints seconds since the epoch; a time of day has no date, so it is skipped.
    const sinceEpoch = line.charCodeAt(end) === 0x2e;
    while (end < line.length && line.charCodeAt(end) !== 0x20) end++;
    if (sinceEpoch) {
      const seconds = Number(line.slice(at, end));
      time = Number.isFinite(seconds) ? seconds : null;
    }
    at = skipSpaces(line, end);
  }
  return { pid, time, next: at };
}

function readResumed(line: string, { pid, time, next }: Header, wanted: Wanted): TraceLine {
  const end = nameEnd(line, next + 5);
  const name = line.slice(next + 5, end);
  if (name === '' || !line.startsWith(' resumed>', end))
    return { kind: 'unreadable', reason: 'a resumed call without a name' };
  if (!wanted(name, line, line.length)) return { kind: 'skipped', pid, time, name, unfinished: false };
  const scanned = scanArguments(line, end + 9);
  const result = scanned?.closed ? readResult(line, scanned.end + 1) : null;
  if (!result) return { kind: 'unreadable', reason: `${name}: the line ends inside the resumed call` };
  return { kind: 'resumed', pid, time, name, result };
}

function readEnd(text: string, { pid, time }: Header): TraceLine {
  const words = text.split(' ');
  if (words.at(-1) !== '+++') return { kind: 'unreadable', reason: 'the line ends inside an exit' };
  const number = Number(words.at(-2));
  if (words[1] === 'exited' && Number.isInteger(number)) return { kind: 'exit', pid, time, code: number, signal: null };
  if (words[1] === 'killed' && words[3]?.startsWith('SIG'))
    return { kind: 'exit', pid, time, code: null, signal: words[3] };
  if (words[1] === 'superseded' && Number.isInteger(number)) return { kind: 'superseded', pid, time, by: number };
  return { kind: 'unreadable', reason: 'an unknown kind of exit' };
}

function readResult(line: string, from: number): CallResult | null {
  const at = skipSpaces(line, from);
  if (!line.startsWith('= ', at)) return null;
  const text = line.slice(at + 2);
  // A plain number, as for nearly every write.
  if (text !== '' && digitsEnd(line, at + 2) === line.length) return { value: Number(text), error: null, text };
  const word = /^(?:(\?)|(-?(?:0x[0-9a-f]+|\d+)))(?: ([A-Z][A-Z0-9_]+))?/.exec(text);
  if (!word) return null;
  return { value: word[1] ? null : Number(word[2]), error: word[3] ?? null, text };
}

function readOther(line: string, next: number): TraceLine {
  const text = line.slice(next);
  const isMessage = text.startsWith('strace: ') || line.startsWith('strace: ') || text.startsWith('[ Process PID=');
  if (isMessage) return { kind: 'message', text };
  return { kind: 'unreadable', reason: 'not a line of a trace' };
}

/** A call that the tracer could not name, because its process died meanwhile, is printed as `????`. */
function nameEnd(line: string, from: number): number {
  let at = from;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
    if (!isLetter && code !== 0x5f && code !== 0x3f && (code < 0x30 || code > 0x39)) break;
  }
  return at;
}

function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === 0x20) at++;
  return at;
}

function digitsEnd(line: string, from: number): number {
  let at = from;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code < 0x30 || code > 0x39) break;
  }
  return at;
}
