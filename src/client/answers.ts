import * as z from 'zod';
import {
  approvalSchema,
  completionSchema,
  type FcmpMessage,
  metaSchema,
  type RaspEvent,
  rawStreamSchema,
  runStatusSchema,
  runViewSchema,
  usageSchema,
} from '../protocol/index.ts';
import { checkedEvent, checkedMessage } from './parse-events.ts';

/** Answers that are made of the protocol's words but have no schema there. What a newer server adds is let through. */

const offset = z.int().min(0);
const offsets = z.record(z.string(), offset);

export const runPageSchema = z.looseObject({
  runs: z.array(runViewSchema),
  next_cursor: z.string().nullable(),
  total: z.int().min(0),
});
export type RunPage = z.infer<typeof runPageSchema>;

/** A part of a history. With `next_cursor` as cursor the next part is asked for; it is null at the end. */
export interface Page<T> {
  events: T[];
  next_cursor: number | null;
  /** All there are in the run, whatever was asked for. */
  total: number;
}

const pageSchema = z.looseObject({
  events: z.array(z.unknown()),
  next_cursor: z.int().min(0).nullable(),
  total: z.int().min(0),
});

function pageOf<T>(parse: (value: unknown, place: string) => T, place: string): z.ZodType<Page<T>> {
  return pageSchema.transform((page) => ({ ...page, events: page.events.map((event) => parse(event, place)) }));
}

export const eventPageSchema: z.ZodType<Page<RaspEvent>> = pageOf(checkedEvent, 'events');
export const conversationPageSchema: z.ZodType<Page<FcmpMessage>> = pageOf(checkedMessage, 'conversation');

const lineSchema = z.looseObject({
  line: z.int().min(1),
  byte_from: offset,
  byte_to: offset,
  text: z.string(),
  truncated: z.boolean(),
});

export const searchAnswerSchema = z.looseObject({
  matches: z.array(z.looseObject({ byte_from: offset, byte_to: offset, line: lineSchema })),
  next_from: offset.nullable(),
  size: offset,
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

export const linesAnswerSchema = z.looseObject({ lines: z.array(lineSchema), size: offset });
export type LinesAnswer = z.infer<typeof linesAnswerSchema>;

export const timingAnswerSchema = z.looseObject({
  first_ts: z.iso.datetime().nullable(),
  last_ts: z.iso.datetime().nullable(),
  bytes: offsets,
  at: z.looseObject({ ts: z.iso.datetime().nullable(), bytes: offsets }).nullable(),
  chunks: z.array(
    z.looseObject({
      time_us: z.number(),
      stream: rawStreamSchema.nullable(),
      byte_from: offset.nullable(),
      byte_to: offset.nullable(),
      cols: z.int().optional(),
      rows: z.int().optional(),
    }),
  ),
  next_cursor: z.int().min(1).nullable(),
  total: z.int().min(0),
});
export type TimingAnswer = z.infer<typeof timingAnswerSchema>;

export const resultSchema = z.looseObject({
  run_id: z.string(),
  status: runStatusSchema,
  attempt: z.int().min(0),
  message: z.string().nullable(),
  structured_payload: z.unknown(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  completion: completionSchema.nullable(),
  error: metaSchema.shape.error,
  usage: usageSchema.nullable(),
  duration_ms: z.number().nullable(),
});
export type RunResult = z.infer<typeof resultSchema>;

export const verificationSchema = z.looseObject({
  verdict: z.enum(['intact', 'changed', 'incomplete']),
  problems: z.array(
    z.looseObject({
      kind: z.string(),
      path: z.string(),
      byte: z.int().nullable(),
      line: z.int().nullable(),
      message: z.string(),
    }),
  ),
});
export type VerificationAnswer = z.infer<typeof verificationSchema>;

export const approvalsAnswerSchema = z.looseObject({ approvals: z.array(approvalSchema) });

export const enginesAnswerSchema = z.looseObject({
  engines: z.array(
    z.looseObject({
      name: z.string(),
      title: z.string(),
      installed: z.boolean(),
      version: z.string().nullable(),
      tested: z.boolean(),
      capabilities: z.record(z.string(), z.boolean()),
    }),
  ),
});
export type EngineFacts = z.infer<typeof enginesAnswerSchema>['engines'][number];

export const healthSchema = z.looseObject({ status: z.string(), version: z.string() });
export type Health = z.infer<typeof healthSchema>;
