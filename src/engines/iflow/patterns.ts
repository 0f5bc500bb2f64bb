import type { OutputStream } from '../../protocol/index.ts';
import type { LinePattern } from '../line-pattern.ts';

const TOOL_FAILED = /^Error executing tool \S+: /;

/** Looked for in lines that are no prose; an assistant may say the same words. */
export const IFLOW_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_AUTH_REQUIRED', pattern: /^(?:\W*\w*error\W+)?SERVER_OAUTH2_REQUIRED\b/i },
  // The model is told, and may do something else.
  { code: 'ENGINE_ERROR', pattern: TOOL_FAILED, severity: 'warning' },
  { code: 'ENGINE_ERROR', pattern: /^(?:✗ |Uncaught )?\w*Error(?: \[\w+\])?: / },
];

/** The engine gives up with this line; what it printed just before introduces it. */
export const FATAL_LINE = IFLOW_PATTERNS[0]!.pattern;
/** Told on a line of its own when a session is continued. */
export const RESUMING_LINE = /^ℹ\ufe0f?\s+Resuming session\b(?:[:\s]+(session-[\w-]+))?/;
export const STACK_FRAME = /^\s+at \S.*(?::\d+:\d+\)?|\(native\)|<anonymous>\)?)(?: \{)?$/;
/** Printed before the frames of a stack. */
export const ERROR_HEAD = /^(?:Uncaught )?\w*Error(?: \[\w+\])?(?::|$)|^An unexpected critical error occurred/;
/** What node prints behind the frames: the fields of the error. */
export const STACK_TAIL = /^(?:\s+\S|[{}\]]\s*$)/;

/** Longer lines are no log lines. */
const LONGEST = 8192;
const LEVEL = '(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)';

/** Lines that no assistant writes, whatever the stream. */
const NOISE: readonly RegExp[] = [
  STACK_FRAME,
  FATAL_LINE,
  new RegExp(`^\\[${LEVEL}\\]`),
  new RegExp(`^\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d\\S*\\s+\\[?${LEVEL}\\b`),
  /^Model \S+ does not support thinking mode$/,
  TOOL_FAILED,
  /^✗ Error: /,
  /^\(node:\d+\) /,
  /^\(Use `node --trace-\S+ \.\.\.` to show where/,
  /^Node\.js v\d+\.\d+\.\d+$/,
  /^npm (?:warn|notice|error)\b/i,
];

/** Lines that are logs where logs belong, and may be prose elsewhere. */
const STDERR_NOISE: readonly RegExp[] = [ERROR_HEAD, new RegExp(`^${LEVEL}:? `), /^[ℹ⚠✖✔]\ufe0f?\s/];

/** Written by `script`, which made many a merged log. */
const PTY_NOISE: readonly RegExp[] = [/^Script (?:started|done) on /];

const NONE: readonly RegExp[] = [];
const MORE: Readonly<Record<OutputStream, readonly RegExp[]>> = { stdout: NONE, stderr: STDERR_NOISE, pty: PTY_NOISE };

/** A line of a log, a stack trace, or no text at all. */
export function isNoise(line: string, stream: OutputStream): boolean {
  if (isBinary(line)) return true;
  if (line.length > LONGEST) return false;
  return NOISE.some((pattern) => pattern.test(line)) || MORE[stream].some((pattern) => pattern.test(line));
}

/** Bytes that are no UTF-8 were replaced; a few of them do not make a sentence noise. */
function isBinary(line: string): boolean {
  if (line.includes('\0')) return true;
  const bad = line.includes('\ufffd') ? line.split('\ufffd').length - 1 : 0;
  return bad > line.length / 10;
}
