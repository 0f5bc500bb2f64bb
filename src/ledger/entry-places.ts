import { createPublicKey, sign, verify } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { openRegularFile, readAt } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import { leafHash } from '../record/index.ts';
import type { SealKey } from '../recording/index.ts';
import { type Entered, type Mark, readLine, START, walkEntries } from './entry-log.ts';
import { writeAll } from './kept-hashes.ts';

/**
 * `ledger/places` says where the entries of a run are, so that a proof need not look at all of them. After a line like a
 * head of the ledger there are ten bytes for each entry: the beginning of the sha256 of its run, and where its line begins.
 *
 * A list that leaves out an entry would hide a seal. So it is signed, it is made only of entries that follow from one
 * another, and it counts only while the last of them is where it was. Otherwise it is made again.
 */
interface Places extends Mark {
  records: Buffer;
}

interface Search {
  /** Of `entries.jsonl`, which does not grow meanwhile. */
  entries: number;
  /** How many there are. */
  size: number;
  folder: string;
  key: SealKey;
}

const LF = 0x0a;
const TAG_BYTES = 4;
const PLACE_BYTES = 6;
const RECORD_BYTES = TAG_BYTES + PLACE_BYTES;
const HEADING = /^tacho-ledger-places\/1 ([1-9]\d{0,14}) ([1-9]\d{0,14}) ([0-9a-f]{64}) ([A-Za-z0-9_-]{86})$/;
const MAX_HEADING_BYTES = 256;
/** So many entries at the end of the ledger are looked at faster than the list is written again. */
const UNLISTED = 256;
const NONE: Places = { ...START, records: Buffer.alloc(0) };

/** The entries of a run, in their order. */
export function entriesOfRun(runId: string, search: Search): Entered[] {
  const file = openPlaces(search.folder);
  try {
    const listed = (file !== null && readPlaces(file, search)) || NONE;
    const found = listedEntries(listed, runId, search);
    const known = found === null ? NONE : listed;
    const own = found ?? [];
    const added: Buffer[] = [];
    let mark: Mark = known;
    for (const { entry, line, leaf, from } of walkEntries(search.entries, known)) {
      if (entry.run_id === runId) own.push({ entry, line: Buffer.from(line), leaf });
      added.push(recordOf(entry.run_id, from));
      mark = { size: entry.n + 1, leaf, end: from + line.length + 1 };
    }
    if (file !== null && added.length > UNLISTED) {
      writePlaces(file, { ...mark, records: Buffer.concat([known.records, ...added]) }, search.key);
    }
    return own;
  } finally {
    if (file !== null) fs.closeSync(file);
  }
}

/** Null when something else has its name: it is only to save time. */
function openPlaces(folder: string): number | null {
  try {
    return openRegularFile(path.join(folder, 'places'), 'update');
  } catch {
    return null;
  }
}

/** Null for a list that this installation did not make, or that is not of these entries. */
function readPlaces(file: number, { entries, size, key }: Search): Places | null {
  const { size: bytes } = fs.fstatSync(file);
  if (bytes > MAX_HEADING_BYTES + size * RECORD_BYTES) return null;
  const content = readAt(file, 0, bytes);
  const headingEnd = content.subarray(0, MAX_HEADING_BYTES).indexOf(LF);
  if (headingEnd < 0) return null;
  const [, count, end, leaf, signature] = HEADING.exec(content.toString('latin1', 0, headingEnd)) ?? [];
  if (signature === undefined) return null;
  const records = content.subarray(headingEnd + 1);
  const places = { size: Number(count), end: Number(end), leaf: leaf!, records };
  if (records.length !== places.size * RECORD_BYTES) return null;
  const publicKey = createPublicKey(key.privateKey);
  if (!verify(null, signedBytes(places), publicKey, Buffer.from(signature, 'base64url'))) return null;
  const last = lineOf(places.size - 1, places, entries);
  return leafHash(last, nodeSha256) === leaf ? places : null;
}

function writePlaces(file: number, places: Places, key: SealKey): void {
  const signature = sign(null, signedBytes(places), key.privateKey).toString('base64url');
  const heading = `tacho-ledger-places/1 ${places.size} ${places.end} ${places.leaf} ${signature}\n`;
  try {
    fs.ftruncateSync(file, 0);
    writeAll(file, Buffer.concat([Buffer.from(heading), places.records]), 0);
  } catch {
    // A part of it does not count, and the entries were found without it.
  }
}

function signedBytes({ size, end, leaf, records }: Places): Buffer {
  return Buffer.from(`tacho-ledger-places/1 ${size} ${end} ${leaf} ${nodeSha256.of(records)}`);
}

/** Null when an entry is not what the list says: another run has the same tag, or the entries were changed. */
function listedEntries(places: Places, runId: string, { entries }: Search): Entered[] | null {
  const found: Entered[] = [];
  const tag = tagOf(runId);
  for (let n = 0; n < places.size; n++) {
    if (places.records.readUInt32BE(n * RECORD_BYTES) !== tag) continue;
    const entered = readLine(lineOf(n, places, entries));
    if (entered.entry.run_id !== runId || entered.entry.n !== n) return null;
    found.push(entered);
  }
  return found;
}

function lineOf(n: number, { size, end, records }: Places, entries: number): Buffer {
  const from = records.readUIntBE(n * RECORD_BYTES + TAG_BYTES, PLACE_BYTES);
  const next = n + 1 < size ? records.readUIntBE((n + 1) * RECORD_BYTES + TAG_BYTES, PLACE_BYTES) : end;
  return readAt(entries, from, next - from - 1);
}

function recordOf(runId: string, from: number): Buffer {
  const record = Buffer.allocUnsafe(RECORD_BYTES);
  record.writeUInt32BE(tagOf(runId));
  record.writeUIntBE(from, TAG_BYTES, PLACE_BYTES);
  return record;
}

function tagOf(runId: string): number {
  return Number.parseInt(nodeSha256.of(runId).slice(0, TAG_BYTES * 2), 16);
}
