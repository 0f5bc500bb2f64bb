import * as z from 'zod';

/** The first line of a connection; all others are requests. */
export const controlGreetingSchema = z.strictObject({ secret: z.string() });

/** Requests to a live attempt: one JSON object per line, one answer per line. */
export const controlRequestSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('write'), data: z.base64() }),
  z.strictObject({ op: z.literal('feed'), data: z.base64() }),
  z.strictObject({ op: z.literal('end_feed') }),
  z.strictObject({ op: z.literal('resize'), cols: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) }),
  z.strictObject({ op: z.literal('cancel') }),
  z.strictObject({ op: z.literal('ping') }),
]);
export type ControlRequest = z.infer<typeof controlRequestSchema>;

export const controlAnswerSchema = z.strictObject({ ok: z.boolean(), error: z.string().optional() });
export type ControlAnswer = z.infer<typeof controlAnswerSchema>;

/** Longer lines are rejected. */
export const MAX_REQUEST = 4 * 1024 * 1024;
export const MAX_GREETING = 1024;
