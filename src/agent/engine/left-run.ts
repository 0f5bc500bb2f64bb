import path from 'node:path';
import { isRegularFile } from '../../files/index.ts';
import { type AgentEvent, TachoError } from '../../protocol/index.ts';
import { openRecordedRun } from '../wal/index.ts';

type Event<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;

/** What another process has left of an agent run. */
export interface LeftRun {
  lastSeq: number;
  hasEnded: boolean;
  /** What was said, for a run that continues the conversation of one that has ended. */
  history: { role: 'user' | 'assistant'; text: string }[];
  /** Calls of the last turn without a result, what was asked about them, and the question of the loop itself. */
  calls: Event<'tool_call_requested'>[];
  approvals: Event<'approval_requested'>[];
  questions: Event<'question_asked'>[];
}

/** More than this of an ended conversation is left out, the oldest first; its files are still there. */
const MAX_HISTORY_CHARS = 200_000;

/** Reads the log of a run from its beginning. Throws RUN_NOT_FOUND if there is none. */
export async function readLeftRun(locator: string): Promise<LeftRun> {
  if (!isRegularFile(locator)) {
    const runId = path.basename(path.dirname(locator));
    throw new TachoError('RUN_NOT_FOUND', `there is no agent run "${runId}" in this folder`, {
      facts: { run_id: runId },
      fix: 'List the runs of the folder with: tacho agent ls',
    });
  }
  const recorded = openRecordedRun(locator);
  try {
    return await foldLeft(recorded.read());
  } finally {
    recorded.close();
  }
}

async function foldLeft(events: AsyncIterable<AgentEvent>): Promise<LeftRun> {
  const left: LeftRun = { lastSeq: 0, hasEnded: false, history: [], calls: [], approvals: [], questions: [] };
  for await (const event of events) {
    left.lastSeq = event.seq;
    note(left, event);
  }
  left.history = newest(left.history);
  return left;
}

function note(left: LeftRun, event: AgentEvent): void {
  switch (event.type) {
    case 'user_message':
      if (event.data.origin !== 'notice') left.history.push({ role: 'user', text: event.data.text });
      return;
    case 'history_message':
      left.history.push({ role: event.data.role, text: event.data.text });
      return;
    case 'llm_response_completed': {
      const text = event.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      if (text.trim() !== '') left.history.push({ role: 'assistant', text });
      left.calls = [];
      left.approvals = [];
      return;
    }
    case 'tool_call_requested':
      left.calls.push(event);
      return;
    case 'approval_requested':
      left.approvals.push(event);
      return;
    case 'question_asked':
      left.questions.push(event);
      return;
    case 'approval_decided':
      left.approvals = left.approvals.filter(({ data }) => data.approval_id !== event.data.approval_id);
      return;
    case 'question_answered':
      left.questions = left.questions.filter(({ data }) => data.question_id !== event.data.question_id);
      return;
    case 'tool_call_finished': {
      const { call_id } = event.data;
      left.calls = left.calls.filter(({ data }) => data.call_id !== call_id);
      left.approvals = left.approvals.filter(({ data }) => data.call_id !== call_id);
      left.questions = left.questions.filter(({ data }) => data.call_id !== call_id);
      return;
    }
    case 'run_completed':
    case 'run_failed':
    case 'run_cancelled':
      left.hasEnded = true;
      return;
    default:
      return;
  }
}

function newest(history: LeftRun['history']): LeftRun['history'] {
  let chars = 0;
  const from = history.findLastIndex(({ text }) => {
    chars += text.length;
    return chars > MAX_HISTORY_CHARS;
  });
  return history.slice(from + 1);
}
