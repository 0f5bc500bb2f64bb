/** Below this a block is not worth being apart. */
const LEAST = 2048;
/** What an unlucky line costs grows with the square of its length: longer blocks are not read as Markdown. */
const MOST = 8192;
/** Deeper nesting of quotes is not meant as quotes, and would overflow the stack of the reader. */
const TOO_DEEP = /(?:>[ \t]*){32}/;

export interface MarkdownBlock {
  text: string;
  /** Shown as it is. */
  plain: boolean;
}

/**
 * A text cut at blank lines into blocks that can be read and drawn one by one: a message that grows is read again in its
 * last block only. Never inside of fenced code, nor before an indented line, which may belong to a list.
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
    if (blank && fence === null && at - from >= LEAST && /^\S/.test(line)) {
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
  return { text, plain: TOO_DEEP.test(text) || (text.length > MOST && !code) };
}
