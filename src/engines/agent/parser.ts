import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readAgentEvents } from './events.ts';
import { AGENT_PATTERNS } from './patterns.ts';

export const AGENT_PARSER = 'agent_log';
export const AGENT_PARSER_VERSION = '1';

export function createAgentParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: AGENT_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    patterns: AGENT_PATTERNS,
    open: readAgentEvents,
  });
}
