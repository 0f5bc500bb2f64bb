import type * as z from 'zod';
import { DIAGNOSTIC_CODES } from './diagnostic-code.ts';
import { type FcmpMessage, type FcmpType, fcmpDataSchemas, fcmpEnvelopeSchema } from './fcmp.ts';
import { isRaspType, parseRaspEvent, type RaspEvent, raspDataSchemas, raspEnvelopeSchema } from './rasp.ts';
import { RASP_VERSION } from './rasp-event.ts';
import { readLeniently } from './read-leniently.ts';

/**
 * One parsed line of `events.jsonl`, also as a newer version of tacho wrote it: with types, categories and fields that
 * are not known here, which are kept. Throws a ZodError when it is not an event, or one of ours that is damaged.
 */
export function readRaspEvent(value: unknown): RaspEvent {
  const envelope = readLeniently(raspEnvelopeSchema, value);
  if (!envelope.success) throw envelope.error;
  const original = value as RaspEvent;
  const { protocol_version } = original;
  const event = { ...original, ...envelope.data, protocol_version, event: { ...original.event } } as RaspEvent;
  // Of our own version: the error says what is wrong with it.
  if (envelope.newer === null && isRaspType(event.event.type) && !fits(event)) return parseRaspEvent(value);
  return asUnderstood(event);
}

/**
 * An event as this version of tacho may take it. One of a newer protocol whose data does not fit the type we know is not
 * of that type: it is given the name of its version, so that no fold mistakes it.
 */
export function asUnderstood(event: RaspEvent): RaspEvent {
  const version: string = event.protocol_version;
  if (version === RASP_VERSION || !isRaspType(event.event.type) || fits(event)) return event;
  const { category, type } = event.event;
  return { ...event, event: { category, type: `${type}@${version}` } } as unknown as RaspEvent;
}

function fits({ event: { category, type }, data }: RaspEvent): boolean {
  const schema: z.ZodType = raspDataSchemas[type];
  return type.slice(0, type.indexOf('.')) === category && readLeniently(schema, data).success;
}

/**
 * One parsed line of `conversation.jsonl` of a newer version of tacho. What cannot be read becomes a notice that holds it.
 * Null when it is not a message, or one of ours that is damaged.
 */
export function readNewerMessage(value: unknown): FcmpMessage | null {
  const envelope = readLeniently(fcmpEnvelopeSchema, value);
  if (!envelope.success) return null;
  const { type, data } = value as { type?: unknown; data?: unknown };
  if (typeof type !== 'string') return null;
  const isKnown = Object.hasOwn(fcmpDataSchemas, type);
  const read = isKnown ? readLeniently(fcmpDataSchemas[type as FcmpType] as z.ZodType, data) : null;
  if (read?.success) return { ...envelope.data, type, data: read.data } as FcmpMessage;
  if (isKnown && envelope.newer === null) return null;
  const notice = newerNotice(`message of type "${type}"`, { message_type: type, message_data: data });
  return { ...envelope.data, type: 'diagnostic.warning', data: notice };
}

/** What a conversation says in place of something that it cannot translate. */
export function newerNotice(what: string, details: Record<string, unknown>): FcmpMessage<'diagnostic.warning'>['data'] {
  const code = 'NEWER_VERSION';
  return { code, message: `${what}: ${DIAGNOSTIC_CODES[code]}`, severity: 'warning', ...details };
}
