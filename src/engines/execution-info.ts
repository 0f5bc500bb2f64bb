import type { Usage } from '../protocol/index.ts';
import { integerOf, isObject, type JsonObject, numberOf, textOf } from './json-value.ts';
import { type Misread, unknownFields } from './ndjson-parser.ts';

/** The tags around the JSON with which an engine without a protocol sums up its work. */
export const INFO_OPENING = '<Execution Info>';
export const INFO_CLOSING = '</Execution Info>';

/** What such a block says. */
export interface ExecutionInfo {
  session: string | null;
  conversation: string | null;
  /** Why the engine stopped before it was done; only present when it reached one of its own limits. */
  stopped: string | null;
  usage: Usage | null;
  misread: Misread | null;
}

const FIELDS = new Set([
  'session-id',
  'conversation-id',
  'assistantRounds',
  'executionTimeMs',
  'tokenUsage',
  'terminationReason',
]);
const TOKENS: Readonly<Record<string, string>> = {
  input: 'input_tokens',
  output: 'output_tokens',
  total: 'total_tokens',
};
const TOKEN_FIELDS = new Set(Object.keys(TOKENS));

/** Will be an argument of the command that resumes it, so it must not look like a flag. */
const SESSION = /^[A-Za-z0-9][\w.-]{0,199}$/;
const SESSION_FIELD = /"session-id"\s*:\s*"([^"]{1,200})"/;
const TOKEN_FIELD = /"(input|output|total)"\s*:\s*(\d{1,15})\b/g;

/** Reads a block, tags included. One that is no longer valid JSON, because other output got into it, is searched instead. */
export function readExecutionInfo(block: string): ExecutionInfo {
  const to = block.lastIndexOf(INFO_CLOSING);
  const inner = block.slice(block.indexOf(INFO_OPENING) + INFO_OPENING.length, to < 0 ? undefined : to);
  const info = parseObject(inner);
  return info ? readFields(info) : searchFields(inner);
}

function readFields(info: JsonObject): ExecutionInfo {
  const session = sessionOf(info['session-id']);
  const tokens = info.tokenUsage;
  const drifted = session === null || (tokens !== undefined && !isTokenCount(tokens));
  return {
    session,
    conversation: textOf(info['conversation-id']),
    stopped: textOf(info.terminationReason),
    usage: usageOf(info),
    misread: drifted
      ? unexpectedShape()
      : (unknownFields('execution_info', info, FIELDS) ??
        (isObject(tokens) ? unknownFields('execution_info tokenUsage', tokens, TOKEN_FIELDS) : null)),
  };
}

function searchFields(inner: string): ExecutionInfo {
  const usage: Usage = {};
  for (const [, name, amount] of inner.matchAll(TOKEN_FIELD)) usage[TOKENS[name!]!] = Number(amount);
  return {
    session: sessionOf(SESSION_FIELD.exec(inner)?.[1]),
    conversation: null,
    stopped: null,
    usage: Object.keys(usage).length > 0 ? usage : null,
    misread: unexpectedShape(),
  };
}

function sessionOf(value: unknown): string | null {
  const session = textOf(value);
  return session !== null && SESSION.test(session) ? session : null;
}

function isTokenCount(tokens: unknown): boolean {
  return (
    isObject(tokens) &&
    Object.keys(TOKENS).every((name) => tokens[name] === undefined || numberOf(tokens[name]) !== null)
  );
}

/** Tokens in the protocol's words; rounds and time, which the protocol has no words for, in the engine's own. */
function usageOf(info: JsonObject): Usage | null {
  const usage: Usage = {};
  const tokens = isObject(info.tokenUsage) ? info.tokenUsage : {};
  for (const [name, word] of Object.entries(TOKENS)) {
    const amount = numberOf(tokens[name]);
    if (amount !== null) usage[word] = amount;
  }
  for (const name of ['assistantRounds', 'executionTimeMs']) {
    const amount = integerOf(info[name]);
    if (amount !== null) usage[name] = amount;
  }
  return Object.keys(usage).length > 0 ? usage : null;
}

function unexpectedShape(): Misread {
  return { event_type: 'execution_info', problem: 'unexpected shape' };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // Cut off, or mixed with something else.
  }
}
