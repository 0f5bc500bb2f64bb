import { isPermission } from '../../model/conversation/approval-request.ts';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import type { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { rowText } from './row-text.ts';

const MAX_CHARACTERS = 100;

/** The label of a row for screen readers: the speaker, and the beginning of the text. */
export function rowName(row: Row, text: typeof say): string {
  const { conversation } = strings;
  const begins = showUnseen((rowText(row) ?? '').slice(0, MAX_CHARACTERS)).replaceAll('\n', ' ');
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
