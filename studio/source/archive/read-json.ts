import type * as z from 'zod';
import { readLeniently, TachoError } from '../../../src/protocol/index.ts';
import { type RecordFiles, readText, withFile } from '../../../src/record/index.ts';
import { ArchiveError } from './archive-error.ts';

/** Maximum size of a file that is read completely. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** A file of the record, validated by its schema, including one of a newer version of tacho; null if there is none. */
export async function readJson<T>(files: RecordFiles, name: string, schema: z.ZodType<T>): Promise<T | null> {
  return withFile(files, name, async (file) => {
    if (file === null) return null;
    const text = await readText(file, MAX_JSON_BYTES);
    if (text === null)
      throw new ArchiveError({ kind: 'too_large', file: name, bytes: file.size, most: MAX_JSON_BYTES });
    const read = readLeniently(schema, parse(text, name));
    if (read.success) return read.data;
    throw new TachoError('RUN_RECORD_CORRUPT', `${name} cannot be read`, { cause: read.error });
  });
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ArchiveError({ kind: 'damaged', file, what: (error as Error).message }, error);
  }
}
