const CONTENT = ['role', 'content', 'timestamp'];

/** What messages hold, by the role of who speaks. */
export const MESSAGE_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(CONTENT),
  system: new Set([...CONTENT, 'sections', 'toolsAdded', 'toolsRemoved']),
  assistant: new Set([
    ...CONTENT,
    'api',
    'provider',
    'model',
    'responseModel',
    'responseId',
    'diagnostics',
    'usage',
    'stopReason',
    'rawStopReason',
    'errorMessage',
  ]),
  toolResult: new Set([...CONTENT, 'toolCallId', 'toolName', 'details', 'isError']),
  custom: new Set([...CONTENT, 'customType', 'display', 'details']),
  bashExecution: new Set([
    'role',
    'timestamp',
    'command',
    'output',
    'exitCode',
    'cancelled',
    'truncated',
    'fullOutputPath',
    'excludeFromContext',
  ]),
  branchSummary: new Set(['role', 'timestamp', 'summary', 'fromId']),
  compactionSummary: new Set(['role', 'timestamp', 'summary', 'tokensBefore']),
};

/** The pieces of a message. */
export const UPDATES: ReadonlySet<string> = new Set([
  'start',
  'text_start',
  'text_delta',
  'text_end',
  'thinking_start',
  'thinking_delta',
  'thinking_end',
  'toolcall_start',
  'toolcall_delta',
  'toolcall_end',
  'done',
  'error',
]);

export const UPDATE_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'contentIndex',
  'delta',
  'content',
  'toolCall',
  'id',
  'toolName',
  'reason',
  'message',
  'error',
  'partial',
]);
