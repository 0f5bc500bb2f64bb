/**
 * Markdown around untrusted text. No text can escape its place: it closes no fence, opens no HTML, loads no picture and
 * creates no heading of the page's own level.
 */

/** Also inside of a list or a quotation, from which it is removed. */
const FENCE = /^[\s>*+\-\d.)]*(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^([\s>*+\-\d.)]*)(#{1,6})(?=\s|$)/;
const UNDERLINE = /^[\s>]*(?:=+|-+)\s*$/;
/** Headings in a text are lowered by this many levels. */
const LOWERED_BY = 2;

/** A code block that its content cannot close. */
export function fenced(text: string, info = 'text'): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

/** A piece of code within a line. */
export function codeSpan(text: string): string {
  const line = oneLine(text);
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const sign = '`'.repeat(longest + 1);
  const space = longest > 0 || line === '' ? ' ' : '';
  return `${sign}${space}${line}${space}${sign}`;
}

/** Text for the inside of an HTML element. */
export function htmlText(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A short text within a line of Markdown. */
export function inlineMarkdown(text: string): string {
  return safeProse([oneLine(text)])[0]!;
}

/** A text that is itself Markdown, with its code blocks replaced by ours. */
export function safeMarkdown(text: string): string {
  const blocks: string[] = [];
  let prose: string[] = [];
  let code: { closing: RegExp; info: string; indent: number; lines: string[] } | null = null;
  const endProse = () => {
    const safe = safeProse(prose).join('\n').trim();
    if (safe !== '') blocks.push(safe);
    prose = [];
  };
  const endCode = () => {
    if (code) blocks.push(fenced(code.lines.join('\n'), code.info));
    code = null;
  };
  for (const line of text.split('\n')) {
    if (code) {
      if (code.closing.test(line)) endCode();
      else code.lines.push(line.slice(Math.min(code.indent, line.search(/\S|$/))));
      continue;
    }
    const [, sign, info = ''] = FENCE.exec(line) ?? [];
    if (sign === undefined) {
      prose.push(line);
      continue;
    }
    endProse();
    const closing = new RegExp(`^[\\s>]*\\${sign[0]}{${sign.length},}\\s*$`);
    code = { closing, info: /^[\w+#.-]{0,30}/.exec(info.trim())![0], indent: line.search(/\S/), lines: [] };
  }
  endProse();
  endCode();
  return blocks.join('\n\n');
}

function safeProse(lines: readonly string[]): string[] {
  const spans = lines.map(codeSpansOf);
  // A code span across a line end would shift all later ones, so then none is trusted.
  const trusted = spans.every((found) => found !== null);
  return lines.map((line, at) => {
    if (UNDERLINE.test(line) && (lines[at - 1] ?? '').trim() !== '') return line.replace(/[=-]/, '\\$&');
    const safe = withoutHtml(line, trusted ? spans[at]! : []);
    return safe.replace(
      HEADING,
      (_, lead: string, { length }: string) => lead + '#'.repeat(Math.min(length + LOWERED_BY, 6)),
    );
  });
}

/** Code spans in a line; null if a backtick has no partner in it. */
function codeSpansOf(line: string): { from: number; to: number }[] | null {
  if (line.includes('\\`')) return null;
  const runs = Array.from(line.matchAll(/`+/g), (run) => ({ at: run.index, length: run[0].length }));
  const spans: { from: number; to: number }[] = [];
  for (let at = 0; at < runs.length; at++) {
    const opening = runs[at]!;
    let end = at + 1;
    while (end < runs.length && runs[end]!.length !== opening.length) end++;
    if (end === runs.length) return null;
    spans.push({ from: opening.at, to: runs[end]!.at + opening.length });
    at = end;
  }
  return spans;
}

/** Uses entities, because a backslash could itself be escaped. */
function withoutHtml(line: string, spans: readonly { from: number; to: number }[]): string {
  let safe = '';
  let at = 0;
  for (const { from, to } of spans) {
    safe += escapeSigns(line.slice(at, from)) + line.slice(from, to);
    at = to;
  }
  return safe + escapeSigns(line.slice(at));
}

function escapeSigns(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;').replaceAll(/!(?=\[)/g, '&#33;');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
