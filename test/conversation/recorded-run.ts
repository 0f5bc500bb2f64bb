import { foldConversation } from '../../src/conversation/index.ts';
import type {
  FcmpMessage,
  FcmpType,
  OutputStream,
  RaspData,
  RaspEvent,
  RaspType,
  RunStatus,
} from '../../src/protocol/index.ts';
import { raspEvent } from '../protocol/samples.ts';

/** Builds the events of a run: numbers them, and assigns raw output its bytes in the file. */
export class RecordedRun {
  readonly events: RaspEvent[] = [];
  attempt = 1;
  private offsets: Record<string, number> = {};

  event<T extends RaspType>(type: T, data: RaspData<T>, changes: Record<string, unknown> = {}): this {
    const seq = this.events.length + 1;
    const ts = new Date(Date.UTC(2026, 10, 15, 8) + seq).toISOString();
    const fields = { seq, ts, attempt_number: this.attempt, data, raw_ref: null, ...changes };
    this.events.push(raspEvent(type, fields));
    return this;
  }

  raw(text: string, stream: OutputStream = 'stdout', more: { truncated?: true; lines?: number } = {}): this {
    const lines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
    const raw_ref = this.range(stream, Buffer.byteLength(text));
    const source = { engine: 'gemini', parser: 'gemini', stream, confidence: 0.9 };
    return this.event(`raw.${stream}`, { text, lines, ...more }, { raw_ref, source });
  }

  /** Bytes of a stream that became other events. */
  skip(bytes: number, stream: OutputStream = 'stdout'): this {
    this.range(stream, bytes);
    return this;
  }

  final(text: string): this {
    return this.event('agent.message.final', { message_id: `m${this.events.length}`, text });
  }

  status(status: RunStatus, more: Partial<RaspData<'lifecycle.run.status'>> = {}): this {
    const source = { engine: 'gemini', parser: 'tacho', stream: null, confidence: 1 };
    return this.event('lifecycle.run.status', { status, ...more }, { source });
  }

  /** A phase reported by the engine's own output. */
  phase(phase: string, more: Partial<RaspData<'lifecycle.run.status'>> = {}): this {
    return this.event('lifecycle.run.status', { status: 'running', phase, ...more });
  }

  nextAttempt(): this {
    this.attempt++;
    this.offsets = {};
    return this;
  }

  fold(): FcmpMessage[] {
    return foldConversation(this.events);
  }

  private range(stream: OutputStream, bytes: number) {
    const byte_from = this.offsets[stream] ?? 0;
    this.offsets[stream] = byte_from + bytes;
    return { attempt_number: this.attempt, stream, byte_from, byte_to: byte_from + bytes };
  }
}

export function ofType<T extends FcmpType>(messages: readonly FcmpMessage[], ...types: T[]): FcmpMessage<T>[] {
  return messages.filter((message) => (types as string[]).includes(message.type)) as unknown as FcmpMessage<T>[];
}

/** Type and data of each message, in order. */
export function typesAndData(messages: readonly FcmpMessage[]): [FcmpType, unknown][] {
  return messages.map(({ type, data }) => [type, data]);
}

export function suppressedCounts(messages: readonly FcmpMessage[]): unknown[] {
  return ofType(messages, 'diagnostic.warning')
    .filter(({ data }) => data.code === 'RAW_DUPLICATE_SUPPRESSED')
    .map(({ data }) => data.suppressed_count);
}

export function rawText(messages: readonly FcmpMessage[]): string {
  return ofType(messages, 'raw.stdout', 'raw.stderr')
    .map(({ data }) => data.text)
    .join('');
}
