/** One assignment of a `.env` file. Lines and columns count from 1 and point at the name. */
interface EnvFileEntry {
  name: string;
  value: string;
  line: number;
  col: number;
}

export interface EnvFile {
  entries: EnvFileEntry[];
  /** Lines that are not an assignment, a comment or empty. Other programs use the file too, so they are not errors. */
  skipped: { text: string; line: number; col: number }[];
}

const ASSIGNMENT = /^([ \t]*(?:export[ \t]+)?)([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;
const NOTHING_OR_COMMENT = /^[ \t]*(?:#.*)?$/;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/**
 * Reads `NAME=value` lines. Single quotes keep everything as it is, double quotes allow `\n \r \t \" \\`, both may span
 * lines; without quotes a value ends before ` #`. Nothing is expanded or executed. Never throws.
 */
export function parseEnvFile(text: string): EnvFile {
  const file: EnvFile = { entries: [], skipped: [] };
  let offset = 0;
  let line = 1;
  while (offset < text.length) {
    let end = endOfLine(text, offset);
    const lineText = text.slice(offset, end);
    const assignment = ASSIGNMENT.exec(lineText);
    const value = assignment === null ? undefined : readValue(text, offset + assignment[0].length, end);
    if (assignment !== null && value !== undefined) {
      file.entries.push({ name: assignment[2]!, value: value.text, line, col: assignment[1]!.length + 1 });
      end = value.end;
    } else if (!NOTHING_OR_COMMENT.test(lineText)) {
      file.skipped.push({ text: lineText.trim(), line, col: lineText.search(/\S/) + 1 });
    }
    const next = afterLineBreak(text, end);
    line += countLineBreaks(text, offset, next);
    offset = next;
  }
  return file;
}

/** The value that starts at `start`, and the end of its last line; undefined if its quotes are unbalanced. */
function readValue(text: string, start: number, lineEnd: number): { text: string; end: number } | undefined {
  const quoteMark = text[start];
  if (start >= lineEnd || (quoteMark !== '"' && quoteMark !== "'")) {
    const raw = text.slice(start, lineEnd);
    // `NAME= # remark` is empty, `NAME=#1` is not.
    const isRemark = raw.startsWith('#') && /[ \t]/.test(text[start - 1] ?? '');
    return { text: isRemark ? '' : raw.replace(/[ \t]#.*$/, '').trim(), end: lineEnd };
  }
  let value = '';
  let index = start + 1;
  while (index < text.length && text[index] !== quoteMark) {
    const escaped = quoteMark === '"' && text[index] === '\\' ? ESCAPES[text[index + 1] ?? ''] : undefined;
    value += escaped ?? text[index];
    index += escaped === undefined ? 1 : 2;
  }
  if (index >= text.length) return undefined;
  const end = endOfLine(text, index);
  return NOTHING_OR_COMMENT.test(text.slice(index + 1, end)) ? { text: value, end } : undefined;
}

function endOfLine(text: string, from: number): number {
  let end = from;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}

function afterLineBreak(text: string, end: number): number {
  return text.startsWith('\r\n', end) ? end + 2 : Math.min(text.length, end + 1);
}

function countLineBreaks(text: string, from: number, to: number): number {
  return text.slice(from, to).match(/\r\n|\n|\r/g)?.length ?? 0;
}
