export { createTextParser, TEXT_PARSER_VERSION } from './text/parser.ts';
