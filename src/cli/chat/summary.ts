import type { FcmpMessage, Usage } from '../../protocol/index.ts';
import type { ChatSummary } from './closing-line.ts';

export type ParsedFacts = Pick<
  ChatSummary,
  'engine' | 'session_id' | 'status' | 'reason_code' | 'usage' | 'durationMs'
>;

export interface ParsedSummary {
  engine: string;
  session_id: string | null;
  status: string;
  reason_code: string;
  messages: { role: 'user' | 'assistant'; text: string }[];
  tools: { name: string; summary: string; state: string; duration_ms: number | null }[];
  files: { path: string; change: string }[];
  diagnostics: { code: string; count: number }[];
  usage: Usage | null;
  duration_ms: number;
}

/** A conversation and its result as one small object for programs. */
export function parsedSummary(messages: readonly FcmpMessage[], facts: ParsedFacts): ParsedSummary {
  const texts = new Map<string, ParsedSummary['messages'][number]>();
  const tools = new Map<string, ParsedSummary['tools'][number]>();
  const files = new Map<string, string>();
  const diagnostics = new Map<string, number>();
  for (const { type, data, seq, meta } of messages) {
    switch (type) {
      case 'user.message':
        texts.set(`user ${seq}`, { role: 'user', text: data.text });
        break;
      // An engine that was stopped in the middle of a message leaves a partial text.
      case 'assistant.message.delta': {
        const key = `${meta.attempt} ${data.message_id}`;
        texts.set(key, { role: 'assistant', text: (texts.get(key)?.text ?? '') + data.text });
        break;
      }
      case 'assistant.message.final':
        texts.set(`${meta.attempt} ${data.message_id}`, { role: 'assistant', text: data.text });
        break;
      case 'assistant.tool_call': {
        const { call_id, name, summary, state, duration_ms = null } = data;
        tools.set(`${meta.attempt} ${call_id}`, { name, summary, state, duration_ms });
        break;
      }
      case 'artifact.changed':
        files.set(data.path, data.change);
        break;
      case 'diagnostic.warning':
        diagnostics.set(data.code, (diagnostics.get(data.code) ?? 0) + 1);
        break;
    }
  }
  return {
    engine: facts.engine,
    session_id: facts.session_id,
    status: facts.status,
    reason_code: facts.reason_code,
    messages: [...texts.values()],
    tools: [...tools.values()],
    files: [...files].map(([path, change]) => ({ path, change })),
    diagnostics: [...diagnostics].map(([code, count]) => ({ code, count })),
    usage: facts.usage,
    duration_ms: facts.durationMs,
  };
}
