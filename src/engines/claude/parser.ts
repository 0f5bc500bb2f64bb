import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import type { StreamJsonDialect } from '../stream-json/dialect.ts';
import { readStreamJson } from '../stream-json/events.ts';
import { CLAUDE_PATTERNS } from './patterns.ts';
import { CLAUDE_SYSTEM_EVENTS } from './system-events.ts';

export const CLAUDE_PARSER = 'claude_stream_json';
export const CLAUDE_PARSER_VERSION = '2';

export const CLAUDE_DIALECT: StreamJsonDialect = {
  systems: CLAUDE_SYSTEM_EVENTS,
  uniqueCallIds: true,
  usageOfTurn: true,
  counting: {},
  errorText: null,
  exitCode: /^Exit code (\d+)/,
  bridgeTool: null,
  subagentResults: false,
};

export function createClaudeParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: CLAUDE_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    arrays: true,
    patterns: CLAUDE_PATTERNS,
    open: (surface) => readStreamJson(surface, CLAUDE_DIALECT),
  });
}
