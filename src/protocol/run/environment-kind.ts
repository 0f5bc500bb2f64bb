import * as z from 'zod';

/** Whose environment a program runs with: the caller's, or one of its own with a managed home. */
export const environmentKindSchema = z.enum(['inherited', 'isolated']);
export type EnvironmentKind = z.infer<typeof environmentKindSchema>;
