import fs from 'node:fs';
import { createYielder, readRegularFile } from '../../files/index.ts';
import { type FsDiff, type FsEntry, type FsSnapshot, fsSnapshotSchema, TachoError } from '../../protocol/index.ts';
import { AttemptFile } from '../attempt-file.ts';
import { entriesOf } from './fs-entry.ts';
import type { IgnoreFile } from './ignore/ignore-file.ts';
import { textOfName } from './name-bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotOfEntries } from './snapshot-of-entries.ts';

const FORMAT = 'tacho-fs-snapshot/1';
/** Enough for some million files; a larger file is not a snapshot. */
const MAX_BYTES = 512 * 1024 * 1024;
const PIECE_CHARACTERS = 1_024 * 1_024;

/**
 * Writes `fs-before.N.json` or `fs-after.N.json`, one entry per line; never overwrites an existing file. With `hold` it
 * stays open, so that it can be restored if a program removes it.
 */
export async function writeSnapshot(
  snapshot: Snapshot,
  path: string,
  { hold = false }: { hold?: boolean } = {},
): Promise<AttemptFile> {
  const file = new AttemptFile(path);
  try {
    const yieldToEventLoop = createYielder();
    const { root, rules } = snapshot;
    const taken_at = new Date(snapshot.takenAt).toISOString();
    const files = Array.from(rules.files.values(), recordedFile);
    const ignore_files = files.length > 0 ? { ignore_files: files } : {};
    const head = { format: FORMAT, root, taken_at, ignored: rules.list, ...ignore_files };
    let piece = `${JSON.stringify(head).slice(0, -1)},"entries":[`;
    let separator = '\n';
    for (const entry of entriesOf(snapshot)) {
      piece += separator + entryLine(entry);
      separator = ',\n';
      if (piece.length < PIECE_CHARACTERS) continue;
      file.append([Buffer.from(piece)]);
      piece = '';
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
    file.append([Buffer.from(`${piece}\n]}\n`)]);
    if (!hold) file.close();
    return file;
  } catch (cause) {
    file.close();
    // A partial snapshot is not valid.
    fs.rmSync(path, { force: true });
    throw cause;
  }
}

function recordedFile({ path, rules }: IgnoreFile) {
  const { text, bytes } = textOfName(path);
  return {
    path: text,
    ...(bytes === undefined ? {} : { path_bytes: bytes }),
    rules: rules.map((rule) => textOfName(rule).text),
  };
}

export function writeDiff(diff: FsDiff, path: string): AttemptFile {
  const file = new AttemptFile(path);
  try {
    file.append([Buffer.from(`${JSON.stringify(diff)}\n`)]);
    return file;
  } finally {
    file.close();
  }
}

/** A third faster than JSON.stringify, which escapes everything again; a large tree has a hundred thousand entries. */
function entryLine(entry: FsEntry): string {
  let line = `{"path":${quoted(entry.path)}`;
  if (entry.path_bytes !== undefined) line += `,"path_bytes":"${entry.path_bytes}"`;
  line += `,"type":"${entry.type}","size":${entry.size},"mtime_ns":"${entry.mtime_ns}","mode":${entry.mode}`;
  if (entry.inode !== undefined) line += `,"inode":"${entry.inode}"`;
  line += entry.sha256 === null ? ',"sha256":null' : `,"sha256":"${entry.sha256}"`;
  if (entry.target !== undefined) line += `,"target":${quoted(entry.target)}`;
  if (entry.target_bytes !== undefined) line += `,"target_bytes":"${entry.target_bytes}"`;
  if (entry.error !== undefined) line += `,"error":${quoted(entry.error)}`;
  if (entry.changed_while_read) line += ',"changed_while_read":true';
  return `${line}}`;
}

function quoted(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * Reads a snapshot from its file. It can be compared with others; as `previous` it saves no hashing, because it has no
 * ctime.
 */
export async function readSnapshot(path: string): Promise<Snapshot> {
  let value: unknown;
  try {
    value = JSON.parse(readRegularFile(path, { maxBytes: MAX_BYTES }));
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'string' && format !== FORMAT && /^tacho-fs-snapshot\/\d+$/.test(format)) {
    throw new TachoError('FORMAT_TOO_NEW', `${path} has format ${format}; this tacho reads ${FORMAT}`, {
      facts: { path, format, known: FORMAT },
      fix: 'Upgrade tacho to the version that made this run, or a later one.',
    });
  }
  const parsed = fsSnapshotSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw unreadable(path, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(), parsed.error);
  }
  return restore(path, parsed.data);
}

function restore(path: string, file: FsSnapshot): Snapshot {
  try {
    return snapshotOfEntries(file);
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
}

function unreadable(path: string, what: string, cause: unknown): TachoError {
  return new TachoError('RECORD_INCOMPLETE', `${path} cannot be read: ${what}`, { facts: { path }, cause });
}
