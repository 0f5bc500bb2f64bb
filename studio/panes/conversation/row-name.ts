import { isPermission } from '../../model/conversation/approval-request.ts';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { rowText } from './row-text.ts';

const MOST = 100;

/** What a screen reader says when it comes to a row: who, and how it begins. */
export function rowName(row: Row, text: typeof say): string {
  const { conversation } = strings;
  const begins = showUnseen((rowText(row) ?? '').slice(0, MOST)).replaceAll('\n', ' ');
  return [who(), begins].filter((words) => words !== '').join(': ');

  function who(): string {
    switch (row.kind) {
      case 'user':
        return text(conversation.you);
      case 'assistant':
        return '';
      case 'reasoning':
        return text(conversation.thought);
      case 'plan':
        return text(conversation.plan);
      case 'tool':
        return row.name;
      case 'question':
        return text(conversation.question);
      case 'approval':
        return text(approvalWords(row));
      case 'files':
        return text(conversation.filesChanged);
      case 'attempt':
        return text(conversation.attempt)(row.attempt);
      case 'end':
        return text(strings.status[row.status]);
    }
  }
}

export function approvalWords(row: Row<'approval'>) {
  const { approvalAsked, approvalAllowed, approvalRefused } = strings.conversation;
  if (row.decision === null) return approvalAsked;
  return isPermission(row.decision) ? approvalAllowed : approvalRefused;
}
