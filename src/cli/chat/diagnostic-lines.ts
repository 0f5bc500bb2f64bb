import type { FcmpMessage } from '../../protocol/index.ts';
import { columnsOf, cutToColumns } from './columns.ts';
import { wrapText } from './flow.ts';
import type { OpenBlock, Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

export interface DiagnosticLines {
  show(message: FcmpMessage<'diagnostic.warning'>): void;
  /** An error that ended the run, unless it is already shown. */
  showFailure(message: string): void;
  /** The attempt has ended: shows the counts of repeated diagnostics. */
  endAttempt(): void;
}

interface Reported {
  severity: string;
  lines: number;
  messages: Set<string>;
  /** Number of repetitions that were not shown. */
  more: number;
}

/** A repeated code with its latest message. */
interface Repeated {
  code: string;
  message: string;
  first: string;
  severity: string;
  count: number;
  block: OpenBlock;
}

/** Diagnostics about parsing, which are not part of the conversation. */
const HIDDEN: ReadonlySet<string> = new Set(['RAW_DUPLICATE_SUPPRESSED', 'RAW_COALESCED', 'LOW_CONFIDENCE_PARSE']);
const RETRY = 'ENGINE_RETRY';
const MAX_LINES_PER_CODE = 3;
const MAX_ROWS = 4;

/** Warnings and errors. A repeated code is counted instead of shown, so that it cannot flood the conversation. */
export function createDiagnosticLines(page: Page): DiagnosticLines {
  const codes = new Map<string, Reported>();
  let open: Repeated | null = null;

  function rows(): string[] {
    return rowsSaying(open!.code === RETRY ? `try again: ${open!.message}` : open!.message);
  }

  function rowsSaying(text: string): string[] {
    const { code, severity, count } = open!;
    const times = count > 1 ? ` (×${count})` : '';
    return code === RETRY
      ? rowsOf('↻', text, times, severity)
      : rowsOf('!', text, ` [${sanitizeOneLine(code)}]${times}`, severity);
  }

  function rowsOf(sign: string, message: string, end: string, severity: string): string[] {
    const columns = page.screen.columns - 3;
    const room = Math.max(columns, columns * (MAX_ROWS - 1) - columnsOf(end));
    const lines = wrapText(cutToColumns(sanitizeOneLine(message), room) + end, columns);
    const paint = severity === 'error' ? page.colors.red : page.colors.yellow;
    return lines.map((line, at) => paint(`${at === 0 ? sign : ' '} ${line}`));
  }

  function close(): void {
    const { message, first, count } = open!;
    if (page.screen.rewrites) print(rows());
    // Otherwise the first message is already shown, and the count becomes a second line.
    else if (count > 1) print(message === first ? rowsSaying('the same again') : rows());
    open = null;
  }

  function print(lines: readonly string[]): void {
    for (const line of lines) page.screen.line(line);
  }

  return {
    show({ data: { code, message, severity } }) {
      if (HIDDEN.has(code) || (severity === 'info' && code !== RETRY)) return;
      const reported = codes.get(code) ?? { severity, lines: 0, messages: new Set(), more: 0 };
      codes.set(code, reported);
      if (open && page.current === open.block && isRepeated(open, code, message)) {
        Object.assign(open, { message, severity, count: open.count + 1 });
        reported.messages.add(message);
        return;
      }
      if (reported.lines >= MAX_LINES_PER_CODE || reported.messages.has(message)) {
        reported.more++;
        return;
      }
      reported.lines++;
      reported.messages.add(message);
      const block = { close, live: rows };
      page.open('work', block);
      open = { code, message, first: message, severity, count: 1, block };
      if (!page.screen.rewrites) print(rows());
    },

    showFailure(message) {
      if ([...codes.values()].some(({ messages }) => messages.has(message))) return;
      page.lines('work', rowsOf('!', message, '', 'error'));
    },

    endAttempt() {
      for (const [code, { more, severity }] of codes) {
        const times = more === 1 ? 'once more' : `${more} times more`;
        if (more > 0) page.lines('work', rowsOf('!', times, ` [${sanitizeOneLine(code)}]`, severity));
      }
      codes.clear();
    },
  };
}

/** Retry messages contain their own count. Other messages with different texts are different diagnostics. */
function isRepeated(before: Repeated, code: string, message: string): boolean {
  return code === before.code && (code === RETRY || message === before.message);
}
