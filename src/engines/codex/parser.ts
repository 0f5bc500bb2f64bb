import type { Parser, ParserContext } from '../../protocol/index.ts';
import { createNdjsonParser } from '../ndjson-parser.ts';
import { readCodexEvents } from './events.ts';
import { CODEX_PATTERNS } from './patterns.ts';

export const CODEX_PARSER = 'codex_ndjson';
export const CODEX_PARSER_VERSION = '2';

export function createCodexParser(context: ParserContext): Parser {
  return createNdjsonParser(context, {
    parser: CODEX_PARSER,
    confidence: 0.95,
    usualStream: 'stdout',
    patterns: CODEX_PATTERNS,
    open: readCodexEvents,
  });
}
