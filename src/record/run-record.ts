import {
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
  readLeniently,
  runRecordSchema,
  TachoError,
} from '../protocol/index.ts';
import { readText } from './file-pieces.ts';
import { type RecordFiles, withFile } from './record-files.ts';

const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * `.run.json`, including one of a newer version of tacho: then `format` is the newer one. Throws if it is unreadable.
 */
export async function readRunRecord(files: Pick<RecordFiles, 'open'>): Promise<RunRecord> {
  const text = await withFile(files, RUN_RECORD_FILE, async (file) => file && readText(file, MAX_RECORD_BYTES));
  if (text === null) throw unreadableRecord(RUN_RECORD_FILE, 'it is missing, or too large');
  return parseRunRecord(text, RUN_RECORD_FILE);
}

/** `file` is the name for error messages. */
export function parseRunRecord(text: string, file: string): RunRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadableRecord(file, (cause as Error).message, cause);
  }
  const read = readLeniently(runRecordSchema, value);
  const format = read.newer ?? RUN_FORMAT;
  if (read.success) return { ...read.data, format };
  if (read.newer !== null) throw tooNew(file, format);
  const issue = read.error.issues[0];
  throw unreadableRecord(file, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(), read.error);
}

/** For code that continues or changes a run: a run of a newer version of tacho can only be shown. */
export function refuseNewer(record: RunRecord, file: string): RunRecord {
  if (record.format !== RUN_FORMAT) throw tooNew(file, record.format);
  return record;
}

function tooNew(file: string, format: string): TachoError {
  return new TachoError('FORMAT_TOO_NEW', `${file} has format ${format}; this tacho reads ${RUN_FORMAT}`, {
    facts: { path: file, format, known: RUN_FORMAT },
    fix: 'Upgrade tacho to the version that made this run, or a later one.',
  });
}

export function unreadableRecord(file: string, what: string, cause?: unknown): TachoError {
  return new TachoError('RUN_RECORD_CORRUPT', `${file} cannot be read: ${what}`, {
    facts: { path: file },
    cause,
    fix: 'The events and attempt files beside it may be whole: check them with tacho verify. Put a backup of the file in place to use the run again.',
  });
}
