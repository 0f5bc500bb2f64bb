import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readGeminiEvents } from './events.ts';
import { GEMINI_PATTERNS } from './patterns.ts';

export const GEMINI_PARSER = 'gemini_json';
export const GEMINI_PARSER_VERSION = '2';

/** Both formats at once, `stream-json` and `json`: what was asked for is not always what comes. */
export function createGeminiParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: GEMINI_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    // The document of a failed run is printed there.
    alsoUsual: (event, stream) => stream === 'stderr' && Object.hasOwn(event, 'error') && !Object.hasOwn(event, 'type'),
    documents: { label: '[ERROR] ' },
    patterns: GEMINI_PATTERNS,
    open: readGeminiEvents,
  });
}
