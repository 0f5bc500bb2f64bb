import * as z from 'zod';
import {
  type FcmpMessage,
  fcmpMessageSchema,
  type RaspEvent,
  readNewerMessage,
  readRaspEvent,
} from '../protocol/index.ts';
import { invalidAnswer } from './answer-error.ts';
import { checked } from './transport.ts';

/** Selects the schema by type, instead of trying all types. */
const messageSchema = z.discriminatedUnion(
  'type',
  (fcmpMessageSchema() as z.ZodUnion<[z.ZodObject<{ type: z.ZodLiteral<string> }>]>).options,
) as unknown as z.ZodType<FcmpMessage>;

export function checkedMessage(value: unknown, place: string): FcmpMessage {
  const exact = messageSchema.safeParse(value);
  if (exact.success) return exact.data;
  return readNewerMessage(value) ?? checked(messageSchema, value, place);
}

export function checkedEvent(value: unknown, place: string): RaspEvent {
  try {
    return readRaspEvent(value);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw invalidAnswer(place, z.prettifyError(error).slice(0, 1000), error);
  }
}
