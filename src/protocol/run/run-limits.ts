import * as z from 'zod';
import { fits, MAX_ARGUMENT_BYTES } from '../argument-size.ts';

/** The longest a Node timer can be set for, in whole days. */
const MAX_TIMER_MS = 2_073_600_000;
const MAX_GRACE_MS = 3_600_000;

/** Text that can be handed to a program; the kernel counts bytes, not characters. */
export const text = (maxBytes: number) =>
  z
    .string()
    .max(maxBytes)
    .refine((value) => fits(value, maxBytes), `is longer than ${maxBytes} bytes`)
    .refine((value) => !value.includes('\0'), 'holds a NUL character');

export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not a valid variable name');

const timeout = z.int().min(1).max(MAX_TIMER_MS).nullable().optional();

/** null means no limit; a limit that is left out comes from the configuration. */
export const limitsSchema = z.strictObject({
  timeout_ms: timeout.describe('Ends an attempt after this long; null: never.'),
  no_progress_timeout_ms: timeout.describe('Ends an attempt after this long without progress; null: never.'),
  kill_grace_ms: z.int().min(0).max(MAX_GRACE_MS).optional().describe('Time between SIGTERM and SIGKILL.'),
  linger_ms: z
    .int()
    .min(0)
    .max(MAX_GRACE_MS)
    .optional()
    .describe('How long background processes may keep running after the command has exited.'),
  disk_floor_bytes: z
    .int()
    .min(0)
    .optional()
    .describe('Free disk space required to start; the higher of this and the server’s own counts.'),
  max_attempts: z.int().min(1).max(1000).optional(),
  output_bytes: z.int().min(1).optional().describe('Ends an attempt that printed more than this.'),
  total_tokens: z.int().min(1).optional().describe('Ends a run whose engine reports more tokens than this.'),
  cost_usd: z.number().min(0).optional().describe('Ends a run whose engine reports a higher cost than this.'),
});
export type RunLimits = z.infer<typeof limitsSchema>;

export const autoReplySchema = z
  .strictObject({ after_ms: z.int().min(1).max(MAX_TIMER_MS), text: text(MAX_ARGUMENT_BYTES) })
  .describe('The answer that is sent when a question stays open for that long.');
export type AutoReply = z.infer<typeof autoReplySchema>;
