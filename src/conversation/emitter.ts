import { FCMP_VERSION, type FcmpMessage, type FcmpType, type RaspEvent, type RawRef } from '../protocol/index.ts';

/** Adds a message that comes from `event` to the conversation; returns its seq. */
export type Emit = <T extends FcmpType>(
  type: T,
  data: FcmpMessage<T>['data'],
  event: RaspEvent,
  changes?: { raw_ref?: RawRef; correlation?: RaspEvent['correlation'] },
) => number;

export interface Emitter {
  emit: Emit;
  /** The number of the last message. */
  readonly seq: number;
  /** The messages since the last time. */
  take(): FcmpMessage[];
}

/** `seq`: that of the last message there is. */
export function createEmitter(run_id: string, seq = 0): Emitter {
  let messages: FcmpMessage[] = [];

  const emit: Emit = (type, data, event, changes = {}) => {
    seq++;
    const message = {
      protocol_version: FCMP_VERSION,
      run_id,
      seq,
      ts: event.ts,
      engine: event.source.engine,
      type,
      data,
      meta: { attempt: event.attempt_number, confidence: event.source.confidence, rasp_seq: event.seq },
      correlation: changes.correlation ?? event.correlation,
      raw_ref: changes.raw_ref === undefined ? event.raw_ref : changes.raw_ref,
    };
    messages.push(message as unknown as FcmpMessage);
    return seq;
  };

  function take(): FcmpMessage[] {
    const taken = messages;
    messages = [];
    return taken;
  }

  return {
    emit,
    take,
    get seq() {
      return seq;
    },
  };
}
