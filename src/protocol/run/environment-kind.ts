import * as z from 'zod';

/** The environment of a program: the caller's, or an isolated one with a managed home. */
export const environmentKindSchema = z.enum(['inherited', 'isolated']);
export type EnvironmentKind = z.infer<typeof environmentKindSchema>;
