import * as z from 'zod';
import { text } from '../run/run-limits.ts';

/** Pieces that several schemas of the terminal runtime are made of. */

const LONGEST_MS = 2_073_600_000;
export const milliseconds = z.int().min(1).max(LONGEST_MS);
export const identifier = z
  .string()
  .regex(/^[\w.:-]+$/)
  .max(200);
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
export const cursor = z.int().min(0).describe('Position in the whole stream, in bytes.');
/** The maximum size of a message is 8 MiB. */
export const MOST_WRITTEN = 8_000_000;
export const nothing = z.strictObject({});

export const encodingSchema = z.enum(['utf8', 'base64']);
export type Encoding = z.infer<typeof encodingSchema>;
/** Bytes: as text where they are text, in base64 otherwise. */
export const bytesFields = { data: z.string(), encoding: encodingSchema };
export const askedEncoding = encodingSchema
  .optional()
  .describe(
    'Not given: `utf8` for text, `base64` for what is not valid UTF-8 or full of NUL. `utf8` asked for replaces what is not text.',
  );

export const argv = z
  .array(text(131_071))
  .min(1)
  .max(4096)
  .describe('A program and its arguments; no shell is involved.');
export const size = { cols: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) };

export const targetSchema = z
  .string()
  .regex(/^(host|(ssh|container):[\w.-]+)$/, 'host, or a target of the configuration: ssh:name or container:name')
  .describe('Where it runs; `host` when not given.');

export const exitFields = { exit_code: z.int().nullable(), signal: z.string().nullable() };
