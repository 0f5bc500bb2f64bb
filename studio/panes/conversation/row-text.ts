import type { Row } from '../../model/conversation/conversation-rows.ts';

/** The exact text of a row, for copying; null if it has none. */
export function rowText(row: Row): string | null {
  switch (row.kind) {
    case 'user':
    case 'assistant':
    case 'reasoning':
      return row.text;
    case 'tool':
      return row.summary || row.name;
    case 'plan':
      return row.items.map(({ text, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${text}`).join('\n');
    case 'question':
      return [row.prompt ?? [], row.choices.map((choice) => `- ${choice}`)].flat().join('\n') || null;
    case 'approval':
      return row.summary;
    case 'files':
      return [...row.created, ...row.modified, ...row.deleted].join('\n');
    case 'end':
      return row.message;
    case 'attempt':
      return null;
  }
}
