import { hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { readRegularBytes, writeWhole } from '../../files/index.ts';
import { ignoreRules } from './ignore/ignore-rules.ts';
import { bytesOf, createListing, type Listing, unreadableListing } from './listing.ts';
import { nameOfText } from './name-bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { STAT_WORDS } from './stat-words.ts';

/**
 * The last snapshot of a workspace, kept between runs so that the next run hashes only what changed. It holds the
 * columns of every directory as in memory, after a JSON header and protected by a checksum against damage: a hundred
 * thousand files load in 10 ms.
 */
const FORMAT = 'tacho-snapshot-cache/4';
const CHECKSUM_BYTES = 4;
/** Columns are used in place, so words of four bytes must begin at a multiple of four. */
const ALIGNMENT = 4;
const SHA256_BYTES = 32;

/** Hashing a small tree again is cheaper than keeping a file for it. */
const MIN_ENTRIES = 1_000;
const WORKSPACES_KEPT = 32;
/** A tree of a million files. */
const MAX_BYTES = 256 * 1_024 * 1_024;

/** Built only if there is a file to check. */
const headerSchema = () =>
  z.strictObject({
    format: z.literal(FORMAT),
    root: z.string(),
    taken_at: z.number(),
    ignored: z.array(z.string()),
    ignore_files: z.array(z.strictObject({ path: z.string(), rules: z.array(z.string()) })),
    entry_count: z.int().min(0),
    directories: z.array(
      z.strictObject({
        path: z.string(),
        names: z.int().min(0).describe('Bytes of its names.'),
        count: z.int().min(0),
        newest: z.number().nullable().describe('Null without entries that are not directories.'),
        folders: z.array(z.int().min(0)).describe('Indexes of directories.'),
        error: z.string().nullable(),
        kept_in: z.string().nullable(),
        notes: z.array(z.tuple([z.int().min(0), noteSchema()])),
      }),
    ),
  });
type Header = z.infer<ReturnType<typeof headerSchema>>;

const noteSchema = () =>
  z.strictObject({
    hidden: z.enum(['ignored', 'vanished']).exactOptional(),
    target: z.string().exactOptional(),
    error: z.string().exactOptional(),
    changedWhileRead: z.literal(true).exactOptional(),
    foreign: z.literal(true).exactOptional(),
  });

/** The snapshot saved for this root; null if there is none, or if it is not valid. */
export function loadPreviousSnapshot(folder: string, root: string): Snapshot | null {
  try {
    const content = readRegularBytes(fileFor(folder, path.resolve(root)), { maxBytes: MAX_BYTES });
    const body = content.subarray(CHECKSUM_BYTES);
    if (crc32(body) !== content.readUInt32LE()) return null;
    const end = body.indexOf('\n');
    const header = headerSchema().parse(JSON.parse(body.toString('utf8', 0, end)));
    if (header.root !== path.resolve(root)) return null;
    return restore(header, body.subarray(end + 1));
  } catch {
    return null;
  }
}

/** Saves the snapshot for the next run on the same root. Failing to write a cache is not an error. */
export function savePreviousSnapshot(folder: string, snapshot: Snapshot): void {
  if (snapshot.entryCount < MIN_ENTRIES) return;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const body = encode(snapshot);
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(body));
    writeWhole(fileFor(folder, snapshot.root), Buffer.concat([checksum, body]));
    forgetOldest(folder);
  } catch {
    // The next run hashes everything.
  }
}

function fileFor(folder: string, root: string): string {
  return path.join(folder, `${hash('sha256', root).slice(0, 32)}.snapshot`);
}

function encode(snapshot: Snapshot): Buffer {
  const directories: Header['directories'] = [];
  const columns: Uint8Array[] = [];
  for (const [directory, listing] of snapshot.directories) {
    if (listing.gone) continue;
    directories.push({
      path: directory,
      names: listing.names.length,
      count: listing.count,
      newest: Number.isFinite(listing.newest) ? listing.newest : null,
      folders: listing.subdirectories.map(({ index }) => index),
      error: listing.error,
      kept_in: listing.keptIn,
      notes: [...listing.notes],
    });
    const hashes = listing.sha256.map((sha256) => sha256 ?? NO_HASH).join('');
    const padding = Buffer.alloc(paddingOf(listing.names.length));
    columns.push(listing.digest, bytesOf(listing.stats), Buffer.from(hashes, 'hex'), listing.names, padding);
  }
  const header: Header = {
    format: FORMAT,
    root: snapshot.root,
    taken_at: snapshot.takenAt,
    ignored: [...snapshot.rules.list],
    ignore_files: Array.from(snapshot.rules.files.values(), ({ path: file, rules }) => ({
      path: file,
      rules: [...rules],
    })),
    entry_count: snapshot.entryCount,
    directories,
  };
  const json = Buffer.from(JSON.stringify(header));
  return Buffer.concat([json, Buffer.from(`${' '.repeat(paddingOf(json.length + 1))}\n`), ...columns]);
}

function paddingOf(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}

const NO_HASH = '0'.repeat(2 * SHA256_BYTES);

function restore(header: Header, columns: Buffer): Snapshot {
  const directories = new Map<string, Listing>();
  let at = 0;
  const take = (length: number) => {
    if (at + length > columns.length) throw new RangeError('columns are cut off');
    at += length;
    return at - length;
  };
  const bytes = (length: number) => new Uint8Array(columns.buffer, columns.byteOffset + take(length), length);
  for (const {
    path: directory,
    names: nameBytes,
    count,
    newest,
    folders,
    error,
    kept_in,
    notes,
  } of header.directories) {
    const digest = columns.subarray(take(SHA256_BYTES), at);
    const words = count * STAT_WORDS;
    const stats = new Uint32Array(columns.buffer, columns.byteOffset + take(4 * words), words);
    const hashes = bytes(count * SHA256_BYTES);
    const names = bytes(nameBytes);
    take(paddingOf(nameBytes));
    const listing = createListing({
      names,
      stats,
      sha256: () => decodeHashes(hashes),
      digest,
      notes: new Map(notes),
      keptIn: kept_in,
      summary: { newest: newest ?? Number.NEGATIVE_INFINITY, folders },
    });
    directories.set(directory, error === null ? listing : unreadableListing(error));
  }
  const { root, taken_at: takenAt, ignored, ignore_files: files, entry_count: entryCount } = header;
  const rules = ignoreRules(nameOfText(root), { given: ignored, files });
  return { root, takenAt, rules, directories, entryCount };
}

function decodeHashes(hashes: Uint8Array): (string | null)[] {
  const text = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex');
  return Array.from({ length: hashes.length / SHA256_BYTES }, (_, index) => {
    const value = text.slice(index * 2 * SHA256_BYTES, (index + 1) * 2 * SHA256_BYTES);
    return value === NO_HASH ? null : value;
  });
}

function forgetOldest(folder: string): void {
  const files = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.snapshot'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, mtimeMs: fs.statSync(file).mtimeMs }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { file } of files.slice(WORKSPACES_KEPT)) fs.rmSync(file, { force: true });
}
