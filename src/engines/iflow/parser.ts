import type { Parser, ParserContext } from '../../protocol/index.ts';
import { readBesideMergedLog } from './merged-log.ts';
import { readRound } from './read-round.ts';

export const IFLOW_PARSER = 'iflow_text';
export const IFLOW_PARSER_VERSION = '2';

/** Of what regular expressions find; prose and JSON blocks say their own. */
const SOURCE = { parser: IFLOW_PARSER, confidence: 0.7 };

export function createIflowParser(context: ParserContext): Parser {
  return context.mergedApart ? readBesideMergedLog(context, SOURCE) : readRound(context, SOURCE);
}
