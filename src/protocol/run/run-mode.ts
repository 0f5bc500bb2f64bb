import * as z from 'zod';

/** `auto`: questions are not answered; `interactive`: a question ends the attempt and a reply begins the next one. */
export const runModeSchema = z.enum(['auto', 'interactive']);
export type RunMode = z.infer<typeof runModeSchema>;
