import type { FcmpMessage } from '../../protocol/index.ts';
import { columnsOf, cutToColumns } from './columns.ts';
import { wrapText } from './flow.ts';
import { harmlessOneLine } from './harmless.ts';
import type { OpenBlock, Page } from './page.ts';

export interface DiagnosticLines {
  show(message: FcmpMessage<'diagnostic.warning'>): void;
  /** An error that ended the run, unless it has been shown. */
  showFailure(message: string): void;
  /** The attempt is over: what was only counted is told. */
  endAttempt(): void;
}

interface Told {
  severity: string;
  lines: number;
  messages: Set<string>;
  /** Repetitions that were not shown. */
  more: number;
}

/** A code that comes again and again, with its newest message. */
interface Repeated {
  code: string;
  message: string;
  first: string;
  severity: string;
  count: number;
  block: OpenBlock;
}

/** About the reading, not about the conversation. */
const HIDDEN: ReadonlySet<string> = new Set(['RAW_DUPLICATE_SUPPRESSED', 'RAW_COALESCED', 'LOW_CONFIDENCE_PARSE']);
const RETRY = 'ENGINE_RETRY';
const MOST_LINES_OF_A_CODE = 3;
const MOST_ROWS = 4;

/** Warnings and errors. A code that comes again is counted: a flood of them must not drown the conversation. */
export function createDiagnosticLines(page: Page): DiagnosticLines {
  const codes = new Map<string, Told>();
  let open: Repeated | null = null;

  function rows(): string[] {
    return rowsSaying(open!.code === RETRY ? `try again: ${open!.message}` : open!.message);
  }

  function rowsSaying(text: string): string[] {
    const { code, severity, count } = open!;
    const times = count > 1 ? ` (×${count})` : '';
    return code === RETRY
      ? rowsOf('↻', text, times, severity)
      : rowsOf('!', text, ` [${harmlessOneLine(code)}]${times}`, severity);
  }

  function rowsOf(sign: string, message: string, end: string, severity: string): string[] {
    const columns = page.screen.columns - 3;
    const room = Math.max(columns, columns * (MOST_ROWS - 1) - columnsOf(end));
    const lines = wrapText(cutToColumns(harmlessOneLine(message), room) + end, columns);
    const paint = severity === 'error' ? page.colors.red : page.colors.yellow;
    return lines.map((line, at) => paint(`${at === 0 ? sign : ' '} ${line}`));
  }

  function close(): void {
    const { message, first, count } = open!;
    if (page.screen.rewrites) print(rows());
    // Otherwise the first one stands already, and the count comes as a second line.
    else if (count > 1) print(message === first ? rowsSaying('the same again') : rows());
    open = null;
  }

  function print(lines: readonly string[]): void {
    for (const line of lines) page.screen.line(line);
  }

  return {
    show({ data: { code, message, severity } }) {
      if (HIDDEN.has(code) || (severity === 'info' && code !== RETRY)) return;
      const told = codes.get(code) ?? { severity, lines: 0, messages: new Set(), more: 0 };
      codes.set(code, told);
      if (open && page.current === open.block && isRepeated(open, code, message)) {
        Object.assign(open, { message, severity, count: open.count + 1 });
        told.messages.add(message);
        return;
      }
      if (told.lines >= MOST_LINES_OF_A_CODE || told.messages.has(message)) {
        told.more++;
        return;
      }
      told.lines++;
      told.messages.add(message);
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
        if (more > 0) page.lines('work', rowsOf('!', times, ` [${harmlessOneLine(code)}]`, severity));
      }
      codes.clear();
    },
  };
}

/** Tries to reach a service count themselves; other messages that differ tell different things. */
function isRepeated(before: Repeated, code: string, message: string): boolean {
  return code === before.code && (code === RETRY || message === before.message);
}
