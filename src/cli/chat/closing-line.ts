import type { RunQuestion, Usage } from '../../protocol/index.ts';
import { formatDuration, usageFacts } from '../../record/figures.ts';
import { columnsOf } from './columns.ts';
import { wrapText } from './flow.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

/** Facts about the end of an attempt that are not in its conversation. */
export interface ChatSummary {
  engine: string;
  status: string;
  reason_code: string;
  durationMs: number;
  model: string | null;
  session_id: string | null;
  usage: Usage | null;
  handle: string;
  question: RunQuestion | null;
}

/** `✔ succeeded · 12.3 s · gpt-5.5 · 240 tokens (200 in, 40 out) · $0.0012 · tacho show 1a2b3c4d` */
export function showClosingLine(page: Page, summary: ChatSummary): void {
  const { colors } = page;
  const { sign, words, paint } = endOf(summary, page);
  const facts = [
    formatDuration(Math.max(summary.durationMs, 0)),
    summary.model ?? '',
    ...usageFacts(summary.usage),
    summary.status === 'waiting_user' ? `tacho resume ${summary.handle} "your answer"` : `tacho show ${summary.handle}`,
  ];
  const head = `${sign} ${words}`;
  const rows = joinFacts([head, ...facts.map(sanitizeOneLine).filter(Boolean)], page.screen.columns);
  const [first, ...more] = rows;
  const painted = paint(first!.slice(0, head.length)) + colors.dim(first!.slice(head.length));
  page.lines('end', [painted, ...more.map(colors.dim)]);
}

function endOf({ status, reason_code }: ChatSummary, { colors }: Page) {
  switch (status) {
    case 'succeeded':
      return { sign: '✔', words: status, paint: colors.green };
    case 'failed':
      return { sign: '✖', words: `failed · ${sanitizeOneLine(reason_code)}`, paint: colors.red };
    case 'canceled':
      return { sign: '◼', words: status, paint: colors.yellow };
    case 'waiting_user':
      return { sign: '?', words: 'waiting for your answer', paint: colors.cyan };
    case 'waiting_approval':
      return { sign: '?', words: 'waiting for an approval', paint: colors.cyan };
    default:
      return { sign: '·', words: sanitizeOneLine(status), paint: colors.bold };
  }
}

/** Puts facts on as few lines as possible; breaks a fact only if it is wider than a line. */
function joinFacts(facts: readonly string[], columns: number): string[] {
  const rows: string[] = [];
  for (const fact of facts) {
    const joined = `${rows.at(-1)} · ${fact}`;
    const indent = rows.length > 0 ? '  ' : '';
    if (rows.length > 0 && columnsOf(joined) <= columns) rows[rows.length - 1] = joined;
    else rows.push(...wrapText(fact, columns - 2).map((line, at) => (at > 0 ? `  ${line}` : indent + line)));
  }
  return rows;
}
