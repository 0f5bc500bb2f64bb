import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readOpencodeEvents } from './events.ts';
import { OPENCODE_PATTERNS } from './patterns.ts';

export const OPENCODE_PARSER = 'opencode_ndjson';
export const OPENCODE_PARSER_VERSION = '2';

export function createOpencodeParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: OPENCODE_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    patterns: OPENCODE_PATTERNS,
    open: readOpencodeEvents,
  });
}
