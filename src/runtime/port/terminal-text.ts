import { screenText } from '../../record/screen/screen-text.ts';
import { truncateEnds } from '../../tools/truncate-text.ts';
import { openTerminal } from '../open-terminal.ts';
import type { KeptEnds } from './output-ends.ts';
import { SIZE } from './terminal-session.ts';

const ESCAPE = 0x1b;
/** A longer sequence is not waited for. */
const MAX_SEQUENCE = 256;

/** What a terminal showed, for a model: text without control sequences. */
export function terminalText(
  { head, tail, omitted }: KeptEnds,
  maxChars: number,
): { output: string; truncated: boolean } {
  // One screen, so that a sequence at the end of the first part counts for the second.
  const ends =
    omitted === 0
      ? { head: textOf(Buffer.concat([head, tail])), tail: '', omitted }
      : { head: textOf(head), tail: textOf(tail), omitted };
  const { text, truncated } = truncateEnds(ends, maxChars);
  return { output: text, truncated };
}

function textOf(bytes: Buffer): string {
  let text = '';
  const output = { kind: 'output' as const, side: 'a' as const, time: 0, bytes };
  for (const piece of screenText([output], { ...SIZE, bareLineFeeds: false, open: openTerminal })) text += piece.text;
  return text;
}

/** Number of bytes at the end that begin a control sequence whose rest is to come. */
export function incompleteSequence(bytes: Buffer): number {
  const from = bytes.lastIndexOf(ESCAPE);
  if (from < 0 || bytes.length - from > MAX_SEQUENCE) return 0;
  return COMPLETE.test(bytes.toString('latin1', from)) ? 0 : bytes.length - from;
}

/** A control sequence, a string up to its end, or any other escape, at the beginning of the text. */
const COMPLETE = /^\x1b(?:\[[ -?]*[@-~]|[\]PX^_][^\x07\x1b]*\x07|[ -/]*[0-OQ-WYZ\\`-~])/;
