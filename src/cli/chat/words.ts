import { clustersOf, columnsOf, isAscii, isWide } from './columns.ts';
import { sanitizeLine } from './sanitize.ts';

export type Style = 'plain' | 'code' | 'strong';

/** A part of a line that is not broken if it fits on one line. */
export interface Word {
  pieces: { text: string; style: Style }[];
  columns: number;
  /** Columns of white space before it. */
  space: number;
}

export interface WordReader {
  /** Adds text of a line; returns the words that later text cannot change. `whole`: the line ends here. */
  push(text: string, whole: boolean): Word[];
}

/** White space at which a line may be broken; excludes the non-breaking kinds. */
const SPACE = /[^\S\u00a0\u2007\u202f]+/;
const CHUNKS = /[^\S\u00a0\u2007\u202f]+|(?:\S|[\u00a0\u2007\u202f])+/g;
/** An opening mark without a closing one within this many characters is treated as plain text. */
const MAX_HELD = 300;
const MAX_SPAN = 500;
const TAB = '    ';
const NOT_FIRST = /^[)\]}、。，．！？；：）」』】〉》〕’”…ー々]/u;
const NOT_LAST = /[([{（「『【〈《〔‘“]$/u;

/** Splits the text of one line into words as it arrives. `styled`: `code` and **strong** become styles. */
export function createWordReader({ styled }: { styled: boolean }): WordReader {
  let rest = '';
  let word: Word['pieces'] = [];
  let lastCluster = '';
  let space = 0;
  let words: Word[] = [];

  function emit(): void {
    if (word.length === 0) return;
    words.push({ pieces: word, columns: word.reduce((sum, { text }) => sum + columnsOf(text), 0), space });
    word = [];
    space = 0;
  }

  function add(text: string, style: Style): void {
    const last = word.at(-1);
    if (last?.style === style) last.text += text;
    else word.push({ text, style });
  }

  function feed(text: string, style: Style): void {
    for (const chunk of text.match(CHUNKS) ?? []) {
      if (SPACE.test(chunk)) {
        emit();
        space += columnsOf(chunk.replaceAll('\t', TAB).replaceAll(/[\r\n\v\f]/g, ' '));
      } else {
        feedLetters(sanitizeLine(chunk), style);
      }
    }
  }

  function feedLetters(text: string, style: Style): void {
    for (const cluster of text !== '' && isAscii(text) ? [text] : clustersOf(text)) {
      if (word.length > 0 && mayBreakBetween(lastCluster, cluster)) emit();
      add(cluster, style);
      lastCluster = cluster;
    }
  }

  return {
    push(text, whole) {
      rest += text;
      words = [];
      while (rest !== '') {
        const { plain, span, held } = nextSpan(rest, { styled, whole });
        feed(plain, 'plain');
        if (span) feed(span.text, span.style);
        rest = rest.slice(plain.length + (span?.length ?? 0));
        if (held || (plain === '' && !span)) break;
      }
      if (whole) {
        emit();
        space = 0;
      }
      return words;
    },
  };
}

interface NextSpan {
  /** Text before the span. */
  plain: string;
  span?: { text: string; style: Style; length: number };
  /** The rest needs more of the line to be understood. */
  held?: boolean;
}

function nextSpan(text: string, { styled, whole }: { styled: boolean; whole: boolean }): NextSpan {
  for (const sign of styled ? text.matchAll(/`+|\*\*(?=[^\s*])/g) : []) {
    const from = sign.index + sign[0].length;
    const to = closingOf(text, sign[0], from);
    const mayGoOn = !whole && to + sign[0].length === text.length;
    if (to > from && !mayGoOn) {
      const style = sign[0] === '**' ? 'strong' : 'code';
      const span = { text: text.slice(from, to), style, length: to + sign[0].length - sign.index } as const;
      return { plain: text.slice(0, sign.index), span };
    }
    if (!whole && text.length - sign.index < MAX_HELD) return { plain: text.slice(0, sign.index), held: true };
  }
  return whole ? { plain: text } : { plain: text.slice(0, certainLength(text)), held: true };
}

function closingOf(text: string, sign: string, from: number): number {
  let at = text.indexOf(sign, from);
  while (at >= 0 && at - from < MAX_SPAN && !closes(text, sign, at)) at = text.indexOf(sign, at + 1);
  return at - from < MAX_SPAN ? at : -1;
}

/** The same number of backticks that opened the span; **strong** text does not end in a space. */
function closes(text: string, sign: string, at: number): boolean {
  if (sign === '**') return !/\s/.test(text[at - 1]!);
  return text[at - 1] !== '`' && text[at + sign.length] !== '`';
}

/** The last word may continue, and so may the last character: combining marks may follow. */
function certainLength(text: string): number {
  const afterSpace = text.search(/[^\S\u00a0\u2007\u202f](?:\S|[\u00a0\u2007\u202f])*$/) + 1;
  const word = text.slice(afterSpace);
  // An escape sequence can only be removed from a word when it is complete.
  if (word.includes('\u001b') && word.length < MAX_SPAN) return afterSpace;
  const [before, last] = clustersOf(word).slice(-2);
  const mayBeCut = last !== undefined && (isWide(before!) || text.length > MAX_HELD);
  return mayBeCut ? text.length - before!.length - last.length : afterSpace;
}

/** Without a space, a break is allowed only next to wide characters. */
function mayBreakBetween(before: string, cluster: string): boolean {
  if (NOT_FIRST.test(cluster) || NOT_LAST.test(before)) return false;
  return isWide(cluster) || isWide(before);
}
