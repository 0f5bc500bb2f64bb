import * as z from 'zod';

/** The files of an attempt that hold bytes an event can point at. */
export const rawStreamSchema = z.enum(['stdin', 'stdout', 'stderr', 'pty']);
export type RawStream = z.infer<typeof rawStreamSchema>;

/** The streams a program writes; with `--capture merged` everything arrives on `pty`. */
export type OutputStream = 'stdout' | 'stderr' | 'pty';

export const byteRangeSchema = z
  .strictObject({
    attempt_number: z.int().min(1),
    stream: rawStreamSchema,
    byte_from: z.int().min(0),
    byte_to: z.int().min(0),
  })
  .refine(({ byte_from, byte_to }) => byte_from <= byte_to, { path: ['byte_to'], message: 'ends before it begins' })
  .describe('Half-open byte range in the attempt file `<stream>.<N>.log`.');
export type ByteRange = z.infer<typeof byteRangeSchema>;

export const rawRefSchema = z
  .union([byteRangeSchema, z.array(byteRangeSchema).min(1), z.null()])
  .describe('The bytes behind an event: one range, several, or null where nothing was printed.');
export type RawRef = z.infer<typeof rawRefSchema>;
