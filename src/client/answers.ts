import * as z from 'zod';
import { approvalSchema, type FcmpMessage, type RaspEvent, runViewSchema } from '../protocol/index.ts';
import { checkedEvent, checkedMessage } from './parse-events.ts';

/** Answers that are made of the protocol's words but have no schema there. What a newer server adds is let through. */

export const runPageSchema = z.looseObject({
  runs: z.array(runViewSchema),
  next_cursor: z.string().nullable(),
  total: z.int().min(0),
});
export type RunPage = z.infer<typeof runPageSchema>;

/** A part of a history. `next_cursor` is the last `seq` in it, null when nothing comes after it. */
export interface Page<T> {
  events: T[];
  next_cursor: number | null;
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

export const searchAnswerSchema = z.looseObject({
  matches: z.array(z.looseObject({ byte_from: z.int().min(0), byte_to: z.int().min(0) })),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

export const linesAnswerSchema = z.looseObject({
  lines: z.array(z.looseObject({ byte_from: z.int().min(0), byte_to: z.int().min(0) })),
});
export type LinesAnswer = z.infer<typeof linesAnswerSchema>;

export const timingAnswerSchema = z.looseObject({});
export type TimingAnswer = z.infer<typeof timingAnswerSchema>;

export const verificationSchema = z.looseObject({
  verdict: z.enum(['intact', 'changed', 'incomplete']),
  problems: z.array(z.looseObject({ kind: z.string(), path: z.string(), message: z.string() })),
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
      capabilities: z.record(z.string(), z.boolean()),
    }),
  ),
});
export type EngineFacts = z.infer<typeof enginesAnswerSchema>['engines'][number];

export const healthSchema = z.looseObject({ status: z.string() });
export type Health = z.infer<typeof healthSchema>;
