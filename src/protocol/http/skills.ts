import * as z from 'zod';

/** Answers about skills. Exact; readers allow additional fields. */

const skillSchema = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  description: z.string(),
  required_env_vars: z.array(z.string()).describe('Variables that have to be set before it is used.'),
  metadata: z.record(z.string(), z.unknown()),
  source: z.string(),
  location: z.string().describe('A path, a key or a row.'),
  bundle: z.strictObject({ sha256: z.string(), bytes: z.int().min(0) }).nullable(),
});

const skillProblemSchema = z.strictObject({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  fix: z.string(),
  source: z.string().optional(),
  file: z.string().optional(),
  line: z.int().min(1).optional(),
});

export const skillsAnswerSchema = z.strictObject({
  skills: z.array(skillSchema),
  next_cursor: z.string().nullable().describe('Ask again with it; null at the end.'),
  total: z.int().min(0).describe('All that fit the words asked for.'),
  problems: z.array(skillProblemSchema).describe('Skills and sources that cannot be used, and why.'),
});

export const skillAnswerSchema = skillSchema.extend({
  body: z.string().describe('Its text, without the frontmatter.'),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.int().min(0) })),
  manifest: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Its assets/runner.json with all defaults; null if it has none, or an invalid one.'),
  schemas: z
    .strictObject({ input: z.unknown(), parameter: z.unknown(), output: z.unknown() })
    .partial()
    .describe('The JSON Schemas that its manifest names, as far as they are valid.'),
  problems: z.array(skillProblemSchema).describe('Problems that a check of its files finds.'),
});
