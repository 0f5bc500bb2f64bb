import { type CodeFence, createCodeFence, opensFence } from './code-fence.ts';
import { columnsOf } from './columns.ts';
import { createFlow } from './flow.ts';
import { type LineBeginning, lineBeginning, saysWhatItIs } from './line-beginning.ts';
import type { LineSink } from './line-sink.ts';
import type { Colors } from './page.ts';
import { sanitizeLine } from './sanitize.ts';
import { createWordReader, type Style, type WordReader } from './words.ts';

/** Lightly rendered Markdown, word by word as it arrives. Without colours it is only wrapped. */
export interface Markdown {
  push(text: string): void;
  /** Writes held-back text and ends the line. Later text starts a new line. */
  flush(): void;
}

export interface MarkdownOptions {
  sink: LineSink;
  columns(): number;
  colors: Colors;
  indent: number;
}

const MAX_PREFIX_LENGTH = 12;

export function createMarkdown({ sink, columns, colors, indent }: MarkdownOptions): Markdown {
  const margin = ' '.repeat(indent);
  const styled = colors.isColorSupported;
  const flow = createFlow({ sink, columns, paint });
  let pending = '';
  let paragraph: WordReader | null = null;
  let fence: CodeFence | null = null;
  let heading = false;
  let blankBefore = false;
  let begun = false;

  function paint(text: string, style: Style): string {
    if (style === 'code') return colors.cyan(text);
    return heading || style === 'strong' ? colors.bold(text) : text;
  }

  /** Blank lines are shown only between lines; several become one. */
  function startLine(): void {
    if (blankBefore && begun) sink.endLine();
    blankBefore = false;
    begun = true;
  }

  function line(text: string): void {
    startLine();
    sink.append(margin + text);
    sink.endLine();
  }

  /** True when the line is not a paragraph and has been handled. */
  function readWholeLine(text: string): boolean {
    if (fence) {
      if (fence.push(text) === 'closed') fence = null;
      return true;
    }
    if (opensFence(text)) fence = createCodeFence(text, { line, colors });
    else if (text.trim() === '') blankBefore = true;
    else return false;
    return true;
  }

  function openParagraph({ sign, isHeading }: LineBeginning): WordReader {
    startLine();
    heading = isHeading;
    const whole = isHeading && styled ? '' : sanitizeLine(sign);
    // In a narrow window, deep lists lose indentation to leave room for their text.
    const prefix = columnsOf(whole) <= columns() / 3 ? whole : whole.trimStart().slice(0, MAX_PREFIX_LENGTH);
    const width = indent + columnsOf(prefix);
    flow.begin({ prefix: margin + prefix, prefixColumns: width, hanging: isHeading ? indent : width });
    return createWordReader({ styled });
  }

  function read({ whole }: { whole: boolean }): void {
    let at = 0;
    while (at < pending.length || (whole && paragraph)) {
      const newline = pending.indexOf('\n', at);
      const end = newline < 0 ? pending.length : newline;
      const lineIsWhole = whole || newline >= 0;
      if (!paragraph) {
        const text = pending.slice(at, end);
        if (!lineIsWhole && (fence || !saysWhatItIs(text))) break;
        if (lineIsWhole && readWholeLine(text.replace(/\r$/, ''))) {
          at = newline < 0 ? end : newline + 1;
          continue;
        }
        const beginning = lineBeginning(text);
        paragraph = openParagraph(beginning);
        at += beginning.sign.length;
      }
      for (const word of paragraph.push(pending.slice(at, end), lineIsWhole)) flow.word(word);
      at = newline < 0 ? end : newline + 1;
      if (!lineIsWhole) break;
      flow.end();
      paragraph = null;
    }
    pending = pending.slice(at);
  }

  return {
    push(text) {
      pending += text;
      read({ whole: false });
    },
    flush() {
      read({ whole: true });
      blankBefore = false;
      begun = false;
    },
  };
}
