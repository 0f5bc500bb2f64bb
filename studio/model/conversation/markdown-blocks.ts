/** Smaller blocks are not worth splitting. */
const MIN_LENGTH = 2048;
/** The cost of a bad line grows with the square of its length: longer blocks are not parsed as Markdown. */
const MAX_LENGTH = 8192;
/** Deeper nesting is not meant as quotes, and would overflow the parser's stack. */
const TOO_DEEP = /(?:>[ \t]*){32}/;

export interface MarkdownBlock {
  text: string;
  /** Shown as plain text. */
  plain: boolean;
}

/**
 * Splits a text at blank lines into blocks that are parsed and rendered separately: for a growing message only the last
 * block is parsed again. Never splits inside fenced code, nor before an indented line, which may belong to a list.
 */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let from = 0;
  let fence: string | null = null;
  let blank = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, Math.min(next, at + 200));
    if (blank && fence === null && at - from >= MIN_LENGTH && /^\S/.test(line)) {
      blocks.push(block(text.slice(from, at)));
      from = at;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) && line.trim() === mark) fence = null;
    blank = line.trim() === '';
    at = next;
  }
  if (from < text.length) blocks.push(block(text.slice(from)));
  return blocks;
}

function block(text: string): MarkdownBlock {
  const code = /^ {0,3}(```|~~~)/.test(text);
  return { text, plain: TOO_DEEP.test(text) || (text.length > MAX_LENGTH && !code) };
}
