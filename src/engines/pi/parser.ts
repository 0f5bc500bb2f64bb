import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readPiEvents } from './events.ts';
import { PI_PATTERNS } from './patterns.ts';

export const PI_PARSER = 'pi_ndjson';
export const PI_PARSER_VERSION = '2';

export function createPiParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: PI_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    patterns: PI_PATTERNS,
    open: readPiEvents,
  });
}
