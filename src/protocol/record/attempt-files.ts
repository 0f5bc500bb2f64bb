import * as z from 'zod';
import { captureSchema } from '../capture.ts';
import { completionSchema } from '../completion.ts';
import { engineReadingSchema } from '../run/engine-definition.ts';
import { environmentKindSchema } from '../run/environment-kind.ts';
import { runModeSchema } from '../run/run-mode.ts';
import { settingsFromSchema } from '../settings-from.ts';
import { deliveredSkillSchema } from '../skill/delivered-skill.ts';
import { usageSchema } from '../usage.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One path of a snapshot. `path` is relative to the workspace, `/`-separated. */
export const fsEntrySchema = z.strictObject({
  path: z.string(),
  path_bytes: z.string().optional().describe('Base64 of the name, where it is not valid UTF-8.'),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  size: z.int().min(0),
  mtime_ns: z.string(),
  mode: z.int().min(0),
  inode: z.string().optional(),
  sha256: sha256.nullable().describe('Of a file’s content; null for what has none or could not be read.'),
  target: z.string().optional().describe('Where a symlink points.'),
  target_bytes: z.string().optional().describe('Base64 of the target, where it is not valid UTF-8.'),
  error: z.string().optional().describe('Why the content could not be read, e.g. EACCES.'),
  changed_while_read: z.literal(true).optional().describe('The hash and size are of what was read meanwhile.'),
});
export type FsEntry = z.infer<typeof fsEntrySchema>;

export const fsSnapshotSchema = z.strictObject({
  format: z.literal('tacho-fs-snapshot/1'),
  root: z.string(),
  taken_at: z.iso.datetime(),
  ignored: z.array(z.string()),
  ignore_files: z
    .array(
      z.strictObject({
        path: z.string().describe('From the workspace; ../ leads to folders above.'),
        path_bytes: z.string().optional(),
        rules: z.array(z.string()),
      }),
    )
    .optional()
    .describe('Files with ignore rules that were applied, as they were before the program started.'),
  entries: z.array(fsEntrySchema),
});
export type FsSnapshot = z.infer<typeof fsSnapshotSchema>;

export const fsChangeSchema = z.strictObject({
  path: z.string(),
  path_bytes: z.string().optional(),
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  before: fsEntrySchema.nullable(),
  after: fsEntrySchema.nullable(),
  before_blob: sha256.nullable().describe('Content of a file before, kept under blobs/.'),
  after_blob: sha256.nullable().describe('Content of a file after, kept under blobs/.'),
  injected: z.boolean().optional().describe('Put there by tacho, not by the program.'),
});
export type FsChange = z.infer<typeof fsChangeSchema>;

/** Paths that snapshots say nothing about, by what left them out. */
export const notCoveredSchema = z.strictObject({
  by: z
    .enum([
      'recording.ignore',
      '.gitignore',
      '.git/info/exclude',
      'other_file_system',
      'recording.snapshot_entries',
      'recording.snapshot_ms',
      'tacho',
    ])
    .describe('A setting, a kind of ignore file, another file system, or `tacho`: its own folders.'),
  paths: z.int().min(1).describe('Of an ignored folder only the folder counts.'),
  examples: z.array(z.string()),
});
export type NotCovered = z.infer<typeof notCoveredSchema>;

export const fsDiffSchema = z.strictObject({
  format: z.literal('tacho-fs-diff/1'),
  created: z.array(fsChangeSchema),
  modified: z.array(fsChangeSchema),
  deleted: z.array(fsChangeSchema),
  unreadable: z.array(z.strictObject({ path: z.string(), error: z.string() })),
  not_covered: z.array(notCoveredSchema).optional().describe('Earlier records do not say.'),
});
export type FsDiff = z.infer<typeof fsDiffSchema>;

export const redactionsSchema = z.strictObject({
  format: z.literal('tacho-redactions/1'),
  ranges: z.array(
    z.strictObject({
      stream: z.enum(['stdout', 'stderr', 'pty']),
      byte_from: z.int().min(0).describe('Counts output bytes, without any file header.'),
      byte_to: z.int().min(0),
      name: z.string().describe('Name of the variable whose value stood here.'),
    }),
  ),
});
export type Redactions = z.infer<typeof redactionsSchema>;

/** What the trace knows of one write: who wrote which bytes of which stream. One line of `writes.N.jsonl`. */
export const tracedWriteSchema = z.strictObject({
  time: z.number().describe('Seconds since the epoch, from the tracer.'),
  pid: z.int().positive(),
  command: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  byte_from: z.int().min(0),
  byte_to: z.int().min(0),
});
export type TracedWrite = z.infer<typeof tracedWriteSchema>;

const traceSummarySchema = z.strictObject({
  traced_bytes: z.int().min(0),
  recorded_bytes: z.int().min(0),
  coverage: z.number().min(0),
  processes: z.int().min(0),
  writes: z.int().min(0),
  diagnostics: z.array(z.string()),
});
export type TraceSummary = z.infer<typeof traceSummarySchema>;

/** `meta.N.json`: the facts of one attempt. Written once, at its end, also when a step failed. */
export const metaSchema = z.strictObject({
  format: z.literal('tacho-meta/1'),
  run_id: z.string(),
  run_dir: z.string(),
  attempt: z.int().min(1),
  engine: z.string(),
  reading: engineReadingSchema
    .optional()
    .describe('How the output is read, of an engine that the configuration defined.'),
  mode: runModeSchema.optional(),
  session_id: z.string().nullable().optional(),
  model: z.string().nullable().optional(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  workspace_root: z.string(),
  environment: environmentKindSchema
    .optional()
    .describe('Whether the program had the environment of its caller; earlier versions always isolated it.'),
  env_names: z.array(z.string()),
  injected: z.array(z.string()),
  skills: z.array(deliveredSkillSchema).optional().describe('The skills that the engine got.'),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime(),
  duration_ms: z.number().nullable(),
  success: z.boolean(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string(), fix: z.string().optional() }).nullable(),
  failed_step: z.string().nullable(),
  capture: captureSchema,
  terminal: z
    .strictObject({
      cols: z.int(),
      rows: z.int(),
      drained: z.boolean(),
      output_processing_restored: z.boolean(),
      left_behind: z.int().min(0),
    })
    .nullable(),
  trace: traceSummarySchema.nullable(),
  files: z.record(z.string(), z.strictObject({ path: z.string(), bytes: z.int().min(0) })),
  completion: completionSchema,
  filesystem: z
    .strictObject({
      entries: z.int().min(0),
      created: z.int().min(0),
      modified: z.int().min(0),
      deleted: z.int().min(0),
      unreadable: z.int().min(0),
      not_covered: z.array(notCoveredSchema).optional(),
    })
    .nullable(),
  parse: z
    .strictObject({
      events: z.int().min(0),
      structured_share: z.number(),
      fallbacks: z.int().min(0),
      unknown: z.int().min(0),
      average_confidence: z.number().nullable(),
      coverage: z
        .number()
        .min(0)
        .max(1)
        .describe('Share of output bytes that belong to a unit that belongs to an event; 1 when nothing is lost.'),
      bytes: z.int().min(0),
    })
    .nullable(),
  usage: usageSchema.nullable(),
  settings: z
    .array(settingsFromSchema)
    .optional()
    .describe('Which settings of the attempt came from where; earlier records do not say.'),
  versions: z.strictObject({
    tacho: z.string(),
    parser: z.string(),
    engine: z.string().nullable(),
    node: z.string(),
    fold: z.int().optional().describe('Of the fold from events to the conversation; earlier records do not say.'),
  }),
});
export type Meta = z.infer<typeof metaSchema>;

/** `seal.N.json`: what the record was when the attempt ended, signed. */
export const sealSchema = z.strictObject({
  format: z.literal('tacho-seal/1'),
  run_id: z.string(),
  attempt: z.int().min(1),
  sealed_at: z.iso.datetime(),
  chain: z.strictObject({ seq: z.int().min(0), head: sha256 }),
  files: z.array(
    z.strictObject({
      path: z.string(),
      bytes: z.int().min(0),
      sha256,
      prefix: z.boolean().optional().describe('The file belongs to the whole run and may have grown since.'),
    }),
  ),
  key: z.strictObject({ algorithm: z.literal('ed25519'), id: z.string(), public_key: z.string() }),
  signature: z.string().describe('Base64, over the JSON of everything above.'),
});
export type Seal = z.infer<typeof sealSchema>;
