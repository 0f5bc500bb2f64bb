import type { FcmpMessage } from '../../protocol/index.ts';
import { cutToColumns } from './columns.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

export interface ApprovalLines {
  required(data: FcmpMessage<'approval.required'>['data']): void;
  decided(data: FcmpMessage<'approval.decided'>['data']): void;
  /** The run waits for an approval. Prints a line unless an open request is already shown. */
  waiting(): void;
}

const YES = /^(?:approve|allow|accept|grant|yes)/i;

export function createApprovalLines(page: Page): ApprovalLines {
  const { colors } = page;
  const open = new Map<string, string>();

  function show(sign: string, text: string, paint: (text: string) => string): void {
    page.lines('work', [paint(`${sign} ${cutToColumns(sanitizeOneLine(text), page.screen.columns - 2)}`)]);
  }

  return {
    required({ approval_id, summary }) {
      open.set(approval_id, summary);
      show('?', `approval needed: ${summary}`, colors.cyan);
    },
    decided({ approval_id, decision }) {
      const summary = open.get(approval_id);
      open.delete(approval_id);
      const text = summary === undefined ? decision : `${decision}: ${summary}`;
      if (YES.test(decision)) show('✔', text, colors.green);
      else show('✖', text, colors.red);
    },
    waiting() {
      if (open.size === 0) show('?', 'waiting for an approval', colors.cyan);
    },
  };
}
