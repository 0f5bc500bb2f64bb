import * as z from 'zod';
import { byteLength, MAX_ARGUMENT_BYTES } from '../argument-size.ts';
import { captureModeSchema, recordingLevelSchema } from '../capture.ts';
import { ENGINE_NAME_PATTERN, isOwnEngine } from '../engine-names.ts';
import { MAX_BLOB_BYTES } from '../file-names.ts';
import { settingsFromSchema } from '../settings-from.ts';
import { baseUrl, engineDefinitionSchema, modelName } from './engine-definition.ts';
import { environmentKindSchema } from './environment-kind.ts';
import { runFilesSchema } from './run-files.ts';
import { autoReplySchema, limitsSchema, text, variableName } from './run-limits.ts';
import { runModeSchema } from './run-mode.ts';
import { skillFields, skippedSkillsSchema, takenPackagesSchema } from './run-skills.ts';

/**
 * The one request to run something: the body of `POST /v1/runs`, what `tacho run` builds, and what is stored. What is
 * left out is filled in once, by the process that accepts the request, from its configuration and environment.
 */

const argument = text(MAX_ARGUMENT_BYTES);
const pattern = z
  .string()
  .max(1000)
  .regex(/^[^=\0]+$/);
const dimension = z.int().min(1).max(65_535);

/** `NAME=value` is one string to the kernel. */
const environmentSchema = z
  .record(variableName, text(MAX_ARGUMENT_BYTES))
  .refine((env) => Object.entries(env).every((entry) => byteLength(entry.join('=')) <= MAX_ARGUMENT_BYTES), {
    message: `holds a variable of more than ${MAX_ARGUMENT_BYTES} bytes, its name included`,
  });

const recordingSchema = z.strictObject({
  level: recordingLevelSchema.optional().describe('How much of an attempt is kept.'),
  secret_names: z
    .array(pattern)
    .max(1000)
    .optional()
    .describe('Variable names, `*` allowed, whose values are masked in events.'),
  ignore: z
    .array(
      z
        .string()
        .max(4096)
        .regex(/^[^\0]+$/),
    )
    .max(10_000)
    .optional()
    .describe('Names or paths left out of workspace snapshots.'),
  gitignore: z.enum(['apply', 'skip']).optional().describe('Whether snapshots leave out what git ignores.'),
  snapshot_entries: z.int().min(1).max(10_000_000).optional().describe('Maximum number of paths in a snapshot.'),
  snapshot_ms: z.int().min(1).max(3_600_000).optional().describe('Maximum time a snapshot takes.'),
  blob_max_bytes: z
    .int()
    .min(0)
    .max(MAX_BLOB_BYTES)
    .optional()
    .describe('Maximum size of a changed file whose content is kept.'),
  checkpoint_bytes: z
    .int()
    .min(1)
    .max(2 ** 30)
    .optional(),
  checkpoint_ms: z.int().min(1).max(3_600_000).optional(),
  conversation: z.boolean().optional().describe('Keep a conversation of a command too; engines always have one.'),
});

const engineName = z.string().regex(ENGINE_NAME_PATTERN, 'is not a valid engine name');

const fields = z.strictObject({
  engine: engineName.optional(),
  prompt: z.string().optional(),
  ...skillFields,
  command: z.array(argument).min(1).max(4096).optional().describe('An argv; no shell is involved.'),
  mode: runModeSchema.default('auto'),
  model: modelName.optional(),
  base_url: baseUrl.optional(),
  format: z.string().max(40).optional(),
  engine_args: z.array(argument).max(256).default([]),
  require_marker: z.boolean().default(false),
  parse: z.boolean().default(true).describe('false: treat the engine’s output as plain text.'),
  parse_as: engineName
    .optional()
    .describe('The engine whose output format a command prints; without it, the output is plain text.'),
  definition: engineDefinitionSchema
    .optional()
    .describe('The engine, if it is not one of tacho’s own; taken from the configuration when not given.'),
  auth_from_home: z
    .boolean()
    .default(false)
    .describe('Copy the engine’s credentials from the user’s home into the managed one.'),
  cwd: text(4096)
    .refine((path) => path.startsWith('/'), 'must be an absolute path')
    .optional()
    .describe('An absolute path; the folder work in the run folder when not given.'),
  files: runFilesSchema.optional().describe('Put into the working folder before the program starts; not with cwd.'),
  env: environmentSchema.default({}),
  pass_env: z
    .array(variableName)
    .max(256)
    .default([])
    .describe('Variables to take from the environment of the process that accepts the request.'),
  inherit_env: z
    .boolean()
    .default(true)
    .describe('false: `env` is complete, and nothing is taken from the environment of the accepting process.'),
  environment: environmentKindSchema
    .optional()
    .describe(
      '`inherited`: a command gets the environment and home of the process that records it, so it cannot be queued. `isolated` (default): a managed home and listed variables.',
    ),
  capture: captureModeSchema.optional(),
  capture_reason: text(200).optional(),
  keep_trace: z.boolean().default(false).describe('Keep the system-call trace; needs capture `trace`.'),
  term: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/)
    .optional()
    .describe('Value of TERM.'),
  cols: dimension.optional(),
  rows: dimension.optional(),
  recording: recordingSchema.default({}),
  limits: limitsSchema.default({}),
  priority: z.int().min(-100).max(100).default(0).describe('Higher runs start first.'),
  auto_reply: autoReplySchema.optional(),
  settings: z
    .array(settingsFromSchema)
    .max(100)
    .optional()
    .describe('Where the settings of the request came from, for its record; sent by the client that filled them in.'),
});

type Fields = z.infer<typeof fields>;

type Related =
  | 'engine'
  | 'prompt'
  | 'command'
  | 'cwd'
  | 'files'
  | 'environment'
  | 'mode'
  | 'parse_as'
  | 'definition'
  | keyof typeof skillFields;

/** A command, or an engine with a prompt or a skill; and what goes together. */
function consistent<T extends z.ZodType<Pick<Fields, Related>>>(schema: T): T {
  return schema
    .refine(
      ({ engine, prompt, skill, command }) =>
        command === undefined
          ? engine !== undefined && (prompt ?? skill) !== undefined
          : engine === undefined && prompt === undefined,
      { message: 'give either command, or engine and prompt' },
    )
    .refine(({ command, skill, skills }) => command === undefined || (skill ?? skills) === undefined, {
      path: ['skill'],
      message: 'is for engines; a command cannot use skills',
    })
    .refine(({ skill, input, parameters }) => skill !== undefined || (input ?? parameters) === undefined, {
      path: ['input'],
      message: 'input and parameters are those of a skill; name it in skill',
    })
    .refine(({ cwd, files }) => cwd === undefined || files === undefined, {
      path: ['files'],
      message: 'are put into a folder of the run only; leave cwd out',
    })
    .refine(({ engine, environment }) => engine === undefined || environment !== 'inherited', {
      path: ['environment'],
      message: 'an engine always has a managed home',
    })
    .refine(({ command, parse_as }) => parse_as === undefined || command !== undefined, {
      path: ['parse_as'],
      message: 'is for commands; an engine is read as itself',
    })
    .refine(({ mode, parse_as }) => parse_as === undefined || mode === 'auto', {
      path: ['mode'],
      message: 'a command cannot be answered: tacho does not know how to continue it; leave mode out',
    })
    .refine(({ engine, parse_as, definition }) => definition === undefined || isFree(engine ?? parse_as), {
      path: ['definition'],
      message: 'defines the engine of the request, which cannot be one of tacho’s own',
    });
}

function isFree(name: string | undefined): boolean {
  return name !== undefined && !isOwnEngine(name);
}

export const runRequestSchema = consistent(fields);
export type RunRequest = z.infer<typeof runRequestSchema>;

/** A request with everything filled in: what runs no longer depends on the process that starts it. */
const settledFields = fields
  .extend({ inherit_env: z.literal(false), pass_env: z.array(variableName).max(0) })
  .required({ capture: true, capture_reason: true, term: true, cols: true, rows: true })
  .extend({
    packages: takenPackagesSchema.optional().describe('The skills of the run as they were accepted.'),
    skipped_skills: skippedSkillsSchema
      .optional()
      .describe('Skills that were left out of `all`, or of those that the prompt mentions, and why.'),
    // Requests of earlier versions do not say how far snapshots go.
    recording: recordingSchema.required().partial({ gitignore: true, snapshot_entries: true, snapshot_ms: true }),
    limits: limitsSchema.required({
      timeout_ms: true,
      no_progress_timeout_ms: true,
      kill_grace_ms: true,
      linger_ms: true,
      disk_floor_bytes: true,
    }),
  });
export const settledRequestSchema = consistent(settledFields);
export type SettledRequest = z.infer<typeof settledRequestSchema>;

/** A settled request as it may be shown: variables by name, files by hash, texts without the values of secrets. */
export const shownRequestSchema = settledFields
  .omit({ pass_env: true, inherit_env: true, settings: true, definition: true })
  .extend({
    env: z.array(variableName).describe('Names only.'),
    files: z.array(z.strictObject({ path: z.string(), bytes: z.int().min(0), sha256: z.string() })).optional(),
  });
export type ShownRequest = z.infer<typeof shownRequestSchema>;
