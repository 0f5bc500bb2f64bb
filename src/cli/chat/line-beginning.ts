/** How a line of Markdown begins. */
export interface LineBeginning {
  /** The marker of a heading, list item or quote, with the space around it; often only indentation. */
  sign: string;
  isHeading: boolean;
}

const HEADING = /^ {0,3}#{1,6}\s+/;
const ITEM_OR_QUOTE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+|(?:>\s?)+)?/;
/** A marker followed by text; before that, the line may still turn out to be anything. */
const SIGN_AND_TEXT = /^\s*\S+\s+\S/;
const QUOTE_AND_TEXT = /^(?:>\s*)+[^>\s]/;
const MAX_SIGN_LENGTH = 40;

export function lineBeginning(text: string): LineBeginning {
  const heading = HEADING.exec(text);
  return { sign: heading?.[0] ?? ITEM_OR_QUOTE.exec(text)![0], isHeading: heading !== null };
}

/** Whether the first characters of an incomplete line already determine how to show it. */
export function saysWhatItIs(text: string): boolean {
  const first = text.trimStart();
  switch (first[0]) {
    case undefined:
      return false;
    case '`':
    case '~':
      return !/^(?:`+|~+)$/.test(first) && !/^(?:```|~~~)/.test(first);
    case '#':
    case '-':
    case '*':
    case '+':
      return SIGN_AND_TEXT.test(text) || text.length > MAX_SIGN_LENGTH;
    case '>':
      return QUOTE_AND_TEXT.test(first) || text.length > MAX_SIGN_LENGTH;
    default:
      return !/^\d+[.)]?\s*$/.test(first) || text.length > MAX_SIGN_LENGTH;
  }
}
