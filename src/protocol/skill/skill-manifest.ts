import * as z from 'zod';
import { runModeSchema } from '../run/run-mode.ts';

/** A path inside of a package. */
const innerPath = z
  .string()
  .min(1)
  .max(512)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\0]+$/, 'a path inside of the package, without . and ..');
const engineName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'the name of an engine');

/** A file that a run of the skill makes. */
const artifactSchema = z.looseObject({
  /** A path below the workspace; * matches within a folder, ** across folders. */
  pattern: innerPath,
  role: z.string().max(64).optional(),
  mime: z.string().max(128).optional(),
  required: z.boolean().default(false),
});

/**
 * `assets/runner.json`: how a skill is run. All of it is optional, and further keys are allowed, so that packages made for
 * other runners work.
 */
export const skillManifestSchema = z.looseObject({
  /** The name of the skill. */
  id: z.string().optional(),
  version: z.string().max(64).optional(),
  execution_modes: z.array(runModeSchema).min(1).default(['auto']),
  /** Engines it was made for; all if not given. */
  engines: z.array(engineName).min(1).optional(),
  unsupported_engines: z.array(engineName).default([]),
  max_attempt: z.int().min(1).max(100).optional(),
  /** Files with JSON Schemas. */
  schemas: z
    .looseObject({ input: innerPath.optional(), parameter: innerPath.optional(), output: innerPath.optional() })
    .default({}),
  entrypoint: z
    .looseObject({
      /** The prompt for an engine, or for all others as `common`. */
      prompts: z.record(z.string(), z.string().min(1)).default({}),
      /** The file that the result is taken from, in place of the last message. */
      result_json_filename: innerPath.optional(),
    })
    .default({ prompts: {} }),
  artifacts: z.array(artifactSchema).default([]),
});

export type SkillManifest = z.output<typeof skillManifestSchema>;
