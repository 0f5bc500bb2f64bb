import * as z from 'zod';

export const captureModeSchema = z.enum(['split', 'trace', 'merged']);
export type CaptureMode = z.infer<typeof captureModeSchema>;

export const recordingLevelSchema = z.enum(['full', 'standard', 'minimal']);
export type RecordingLevel = z.infer<typeof recordingLevelSchema>;

/** How an attempt was recorded. */
export const captureSchema = z.strictObject({
  mode: captureModeSchema,
  reason: z.string(),
  level: recordingLevelSchema,
  merged_apart: z
    .boolean()
    .optional()
    .describe('The merged log was not made from the others but recorded apart; an imported run.'),
  source: z
    .enum(['session_file'])
    .optional()
    .describe('The bytes are not output but the file that an engine keeps of a session.'),
});
/** The reason for the capture of a run that was made from logs recorded elsewhere. */
export const IMPORTED = 'imported';
/** The reason for the capture of a run whose session file `tacho watch` followed. */
export const WATCHED = 'watched';
export type Capture = z.infer<typeof captureSchema>;

/** True if tacho did not record the bytes itself. */
export function isFromElsewhere({ reason }: Pick<Capture, 'reason'>): boolean {
  return reason === IMPORTED || reason === WATCHED;
}
