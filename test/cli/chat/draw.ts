import { type ChatSummary, type ChatView, createChatView } from '../../../src/cli/chat/chat-view.ts';
import type { FcmpMessage } from '../../../src/protocol/index.ts';
import { HANDLE } from './conversation-builder.ts';
import { Terminal } from './terminal.ts';

export interface Drawing {
  columns?: number;
  rewrites?: boolean;
  colors?: boolean;
}

/** A chat view and the terminal it draws on. */
export function openView({ columns = 80, rewrites = false, colors = false }: Drawing = {}): {
  view: ChatView;
  terminal: Terminal;
  output(): string;
} {
  const terminal = new Terminal(columns);
  let output = '';
  const write = (text: string) => {
    output += text;
    terminal.write(text);
  };
  return { view: createChatView({ write, columns, rewrites, colors }), terminal, output: () => output };
}

/** The screen after these messages, shown one at a time, without trailing line endings. */
export function draw(messages: readonly FcmpMessage[], drawing: Drawing = {}, summary?: ChatSummary): string {
  const { view, terminal } = openView(drawing);
  for (const message of messages) view.show([message]);
  if (summary) view.finish(summary);
  return terminal.screen.trimEnd();
}

export function ended(changes: Partial<ChatSummary> = {}): ChatSummary {
  return {
    engine: 'codex',
    status: 'succeeded',
    reason_code: 'TERMINAL_SIGNAL',
    durationMs: 1000,
    model: null,
    session_id: null,
    usage: null,
    handle: HANDLE,
    question: null,
    ...changes,
  };
}
