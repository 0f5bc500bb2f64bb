import * as z from 'zod';
import { completionSchema } from '../completion.ts';

/** What is wrong with a result. */
export const violationSchema = z.strictObject({
  path: z.string().describe('A JSON Pointer into the payload; empty for all of it.'),
  message: z.string(),
});
export type Violation = z.infer<typeof violationSchema>;

export const resultArtifactSchema = z.strictObject({
  path: z.string().describe('Below the folder for artifacts.'),
  role: z.string().nullable(),
  mime: z.string().nullable(),
  bytes: z.int().min(0),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('Of its content, which the record keeps as a blob.'),
});
export type ResultArtifact = z.infer<typeof resultArtifactSchema>;

/** A file among the artifacts that the record does not keep, and why. */
export const skippedArtifactSchema = z.strictObject({ path: z.string(), reason: z.string() });
export type SkippedArtifact = z.infer<typeof skippedArtifactSchema>;

export const validitySchema = z.strictObject({
  state: z.enum(['valid', 'invalid', 'unchecked']).describe('`unchecked`: the skill has no schema of its output.'),
  violations: z.array(violationSchema),
});
export type Validity = z.infer<typeof validitySchema>;

export const resultRepairSchema = z
  .enum(['none', 'requested', 'done'])
  .describe('`requested`: the next attempt is a repair turn. `done`: this attempt is one.');

/** `result.N.json`: what an attempt of a run with a skill has brought about. */
export const attemptResultSchema = z.strictObject({
  format: z.literal('tacho-result/1'),
  run_id: z.string(),
  attempt: z.int().min(1),
  skill: z.strictObject({
    namespace: z.string(),
    name: z.string(),
    version: z.string().nullable(),
    sha256: z.string().describe('Of the package.'),
  }),
  completion: completionSchema.pick({ state: true, reason_code: true, rule: true, source: true }),
  payload: z.unknown().describe('The result, without the done marker; null if there is none.'),
  payload_from: z
    .union([
      z.strictObject({ kind: z.literal('message') }),
      z.strictObject({ kind: z.literal('file'), path: z.string(), in: z.enum(['artifacts', 'workspace']) }),
    ])
    .nullable(),
  validity: validitySchema,
  artifacts: z.array(resultArtifactSchema),
  skipped_artifacts: z.array(skippedArtifactSchema),
  repair: resultRepairSchema,
});
export type AttemptResult = z.infer<typeof attemptResultSchema>;
