import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readDemoEvents } from './events.ts';
import { DEMO_PATTERNS } from './patterns.ts';

export const DEMO_PARSER = 'demo_ndjson';
export const DEMO_PARSER_VERSION = '2';

export function createDemoParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: DEMO_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    patterns: DEMO_PATTERNS,
    open: readDemoEvents,
  });
}
