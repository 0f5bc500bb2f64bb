import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import type { StreamJsonDialect } from '../stream-json/dialect.ts';
import { readStreamJson } from '../stream-json/events.ts';
import { QWEN_PATTERNS } from './patterns.ts';
import { QWEN_SYSTEM_EVENTS } from './system-events.ts';

export const QWEN_PARSER = 'qwen_stream_json';
export const QWEN_PARSER_VERSION = '2';

const DIALECT: StreamJsonDialect = {
  systems: QWEN_SYSTEM_EVENTS,
  uniqueCallIds: false,
  usageOfTurn: false,
  counting: { cachedInInput: true },
  errorText: /^\[API Error: /,
  exitCode: /\nExit Code: (\d+)\nSignal: /,
  bridgeTool: 'tool_call',
  subagentResults: true,
};

export function createQwenParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: QWEN_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    arrays: true,
    patterns: QWEN_PATTERNS,
    open: (surface) => readStreamJson(surface, DIALECT),
  });
}
