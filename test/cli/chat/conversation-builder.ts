import type { FcmpMessage, FcmpType } from '../../../src/protocol/index.ts';
import { fcmpMessage } from '../../protocol/samples.ts';

type Data<T extends FcmpType> = FcmpMessage<T>['data'];
type CallData = Data<'assistant.tool_call'>;

export const HANDLE = '1a2b3c4d';
const START = Date.UTC(2026, 10, 15, 8, 30);

/** Builds the messages of a conversation; `at` is their time in milliseconds after the start. */
export class ConversationBuilder {
  readonly messages: FcmpMessage[] = [];
  attempt = 1;
  at = 0;

  add<T extends FcmpType>(type: T, data: Data<T>, correlation: Record<string, unknown> = {}): this {
    this.messages.push(
      fcmpMessage(type, {
        run_id: `20261115T083000-codex-${HANDLE}`,
        seq: this.messages.length + 1,
        ts: new Date(START + this.at).toISOString(),
        engine: 'codex',
        data,
        meta: { attempt: this.attempt, confidence: 0.95, rasp_seq: this.messages.length + 1 },
        correlation,
      }),
    );
    return this;
  }

  user(text: string): this {
    return this.add('user.message', { text, attempt: this.attempt });
  }

  delta(message_id: string, text: string, parent?: string): this {
    return this.add('assistant.message.delta', { message_id, text }, parent ? { parent } : {});
  }

  final(message_id: string, text: string, parent?: string): this {
    return this.add('assistant.message.final', { message_id, text, format: 'markdown' }, parent ? { parent } : {});
  }

  call(call_id: string, state: CallData['state'], more: Partial<CallData> & { parent?: string } = {}): this {
    const { parent, ...data } = more;
    const call = { call_id, name: 'shell', summary: 'ls', state, ...data };
    return this.add('assistant.tool_call', call, parent ? { parent } : {});
  }

  diagnostic(code: string, message: string, severity = 'warning'): this {
    return this.add('diagnostic.warning', { code, message, severity });
  }

  raw(text: string, stream: 'stdout' | 'stderr' = 'stderr'): this {
    return this.add(`raw.${stream}`, { text, lines: text.split('\n').length });
  }

  state(to: Data<'conversation.state.changed'>['to'], reason_code = 'STATUS'): this {
    return this.add('conversation.state.changed', { from: null, to, reason_code });
  }
}

/** Wall clock of a builder's time. */
export function clock(at: number): number {
  return START + at;
}
