import { clustersOf, columnsOf, isAscii, isWide } from './columns.ts';
import { harmlessLine } from './harmless.ts';

export type Style = 'plain' | 'code' | 'strong';

/** What must stand on one line if a line can hold it. */
export interface Word {
  pieces: { text: string; style: Style }[];
  columns: number;
  /** White space before it, in columns. */
  space: number;
}

export interface WordReader {
  /** More of a line; returns the words that no later text can change. `whole`: the line ends here. */
  push(text: string, whole: boolean): Word[];
}

/** White space at which a line may be broken: not the non-breaking kinds. */
const SPACE = /[^\S\u00a0\u2007\u202f]+/;
const CHUNKS = /[^\S\u00a0\u2007\u202f]+|(?:\S|[\u00a0\u2007\u202f])+/g;
/** An opening sign waits for its closing one no longer than this; then it is just a character. */
const LONGEST_HELD = 300;
const LONGEST_SPAN = 500;
const TAB = '    ';
const NOT_FIRST = /^[)\]}、。，．！？；：）」』】〉》〕’”…ー々]/u;
const NOT_LAST = /[([{（「『【〈《〔‘“]$/u;

/** Cuts the text of one line into words as it comes. `styled`: `code` and **strong** are styles and not characters. */
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
        feedLetters(harmlessLine(chunk), style);
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
  /** What follows can only be understood when more of the line is there. */
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
    if (!whole && text.length - sign.index < LONGEST_HELD) return { plain: text.slice(0, sign.index), held: true };
  }
  return whole ? { plain: text } : { plain: text.slice(0, certainLength(text)), held: true };
}

function closingOf(text: string, sign: string, from: number): number {
  let at = text.indexOf(sign, from);
  while (at >= 0 && at - from < LONGEST_SPAN && !closes(text, sign, at)) at = text.indexOf(sign, at + 1);
  return at - from < LONGEST_SPAN ? at : -1;
}

/** As many backticks as opened it, not more; and **strong** text does not end in a space. */
function closes(text: string, sign: string, at: number): boolean {
  if (sign === '**') return !/\s/.test(text[at - 1]!);
  return text[at - 1] !== '`' && text[at + sign.length] !== '`';
}

/** The last word may go on, and so may the last character: marks that belong to it may follow. */
function certainLength(text: string): number {
  const afterSpace = text.search(/[^\S\u00a0\u2007\u202f](?:\S|[\u00a0\u2007\u202f])*$/) + 1;
  const word = text.slice(afterSpace);
  // An escape sequence can be taken out of a word only as a whole.
  if (word.includes('\u001b') && word.length < LONGEST_SPAN) return afterSpace;
  const [before, last] = clustersOf(word).slice(-2);
  const mayBeCut = last !== undefined && (isWide(before!) || text.length > LONGEST_HELD);
  return mayBeCut ? text.length - before!.length - last.length : afterSpace;
}

/** Between characters without a space only where scripts allow it: next to wide ones. */
function mayBreakBetween(before: string, cluster: string): boolean {
  if (NOT_FIRST.test(cluster) || NOT_LAST.test(before)) return false;
  return isWide(cluster) || isWide(before);
}
