import type * as z from 'zod';
import {
  AUDIT_FOLDER,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
  runRecordSchema,
  TachoError,
} from '../../../src/protocol/index.ts';
import { ArchiveError } from './archive-error.ts';
import { readText } from './blob-bytes.ts';
import type { Archive } from './open-archive.ts';

/** A small file that is read whole is never larger than this. */
const MOST_JSON_BYTES = 64 * 1024 * 1024;

/** The files of one record. */
export interface RecordFiles {
  /** A file of the record by its name, such as `meta.1.json`; null where there is none. */
  audit(name: string): Promise<Blob | null>;
  has(name: string): boolean;
  /** Names of the files right in the record's folder, and those of blobs below it. */
  readonly names: readonly string[];
}

export function recordFiles(archive: Archive): RecordFiles {
  const pathOf = (name: string) => `${AUDIT_FOLDER}/${name}`;
  return {
    audit: (name) => archive.file(pathOf(name)),
    has: (name) => archive.names.has(pathOf(name)),
    names: [...archive.names]
      .filter((name) => name.startsWith(pathOf('')))
      .map((name) => name.slice(pathOf('').length)),
  };
}

/** The record of the run, in a format this page reads. */
export async function readRecord(archive: Archive): Promise<RunRecord> {
  const value = await readJson((await archive.file(RUN_RECORD_FILE))!, RUN_RECORD_FILE);
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'string' && format !== RUN_FORMAT && /^tacho-run\/\d+$/.test(format)) {
    throw new ArchiveError({ kind: 'newer', format, known: RUN_FORMAT });
  }
  const parsed = runRecordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const what = `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
  throw new ArchiveError({ kind: 'damaged', file: RUN_RECORD_FILE, what }, parsed.error);
}

/** A file of the record as its schema says it is; null where there is none. */
export async function readAudit<T>(files: RecordFiles, name: string, schema: z.ZodType<T>): Promise<T | null> {
  const blob = await files.audit(name);
  if (blob === null) return null;
  const parsed = schema.safeParse(await readJson(blob, name));
  if (parsed.success) return parsed.data;
  throw new TachoError('RUN_RECORD_CORRUPT', `${name} cannot be read`, { cause: parsed.error });
}

async function readJson(blob: Blob, file: string): Promise<unknown> {
  if (blob.size > MOST_JSON_BYTES) {
    throw new ArchiveError({ kind: 'too_large', file, bytes: blob.size, most: MOST_JSON_BYTES });
  }
  try {
    return JSON.parse(await readText(blob));
  } catch (error) {
    throw new ArchiveError({ kind: 'damaged', file, what: (error as Error).message }, error);
  }
}
